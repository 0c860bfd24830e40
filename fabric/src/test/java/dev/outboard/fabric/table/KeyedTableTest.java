package dev.outboard.fabric.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.outboard.testkit.Seeds;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class KeyedTableTest {
    private static final int CAMPAIGN = 50;

    @Test
    void aNumberIsForOneObjectAtATime() {
        KeyedTable<String> table = new KeyedTable<>();
        table.add(0x40, "one");
        assertThatThrownBy(() -> table.add(0x40, "other"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("number 0x40 is taken");
        assertThat(table.find(0x40)).isEqualTo("one");
        table.remove(0x40);
        table.add(0x40, "other");
        assertThat(table.find(0x40)).isEqualTo("other");
    }

    @Test
    void holdsWhatWasAddedAndNotRemoved() {
        Seeds.campaign(
                CAMPAIGN,
                seed -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    KeyedTable<String> table = new KeyedTable<>();
                    Map<Integer, String> expected = new HashMap<>();
                    for (int step = 0; step < 2_000; step++) {
                        int key = random.nextInt(64) * 0x01000193;
                        if (expected.containsKey(key)) {
                            table.remove(key);
                            expected.remove(key);
                        } else {
                            table.add(key, "value " + step);
                            expected.put(key, "value " + step);
                        }
                        assertThat(table.find(key)).isEqualTo(expected.get(key));
                        assertThat(table.size()).isEqualTo(expected.size());
                    }
                    Set<String> seen = new HashSet<>();
                    table.forEach(seen::add);
                    assertThat(seen).isEqualTo(new HashSet<>(expected.values()));
                });
    }

    @Test
    void removingWhatIsNotThereIsHarmless() {
        KeyedTable<String> table = new KeyedTable<>();
        table.add(7, "seven");

        table.remove(8);
        table.remove(7);
        table.remove(7);

        assertThat(table.find(7)).isNull();
        assertThat(table.size()).isZero();
    }

    /// What each change copies is bounded: a table that copied itself every time would allocate a
    /// hundred times as much.
    @Test
    void addingAndRemovingAreConstantInSpaceTakenOverMany() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int count = 20_000;
        KeyedTable<String> table = new KeyedTable<>();
        long before = threads.getCurrentThreadAllocatedBytes();

        for (int key = 0; key < count; key++) {
            table.add(key, "value");
        }
        for (int key = 0; key < count; key++) {
            table.remove(key);
            table.add(key + count, "value");
        }

        long perChange = (threads.getCurrentThreadAllocatedBytes() - before) / (3L * count);
        assertThat(perChange).isLessThan(200);
    }

    /// A reader sees an object under its own key or not at all, while others come and go.
    @Test
    void aReaderNeverSeesTheObjectOfAnotherKey() throws InterruptedException {
        KeyedTable<Integer> table = new KeyedTable<>();
        AtomicBoolean done = new AtomicBoolean();
        List<String> wrong = new ArrayList<>();
        table.add(-1, -1);
        Thread reader =
                Thread.ofPlatform()
                        .start(() -> {
                            for (int key = 0; !done.get(); key = (key + 1) & 0xFFF) {
                                Integer value = table.find(key);
                                if (value != null && value != key) {
                                    wrong.add(key + " gave " + value);
                                }
                                if (table.find(-1) == null) {
                                    wrong.add("the permanent one is gone");
                                }
                            }
                        });
        for (int round = 0; round < 200; round++) {
            for (int key = 0; key < 1_000; key++) {
                int unique = (key * 4 + round) & 0xFFF;
                table.add(unique, unique);
                table.remove(unique);
            }
        }
        done.set(true);
        reader.join();
        assertThat(wrong).isEmpty();
    }
}
