package dev.outboard.ccip.checker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// The table of the lines that an AFU has under way, next to a map that is plainly right.
class LineTableTest {
    private static final LineTable.Interest ALL = interest(true);
    private static final LineTable.Interest NONE = interest(false);

    private final LineTable table = new LineTable();

    private static LineTable.Interest interest(boolean open) {
        return new LineTable.Interest() {
            @Override
            public boolean isOpen(long write) {
                return open;
            }

            @Override
            public boolean isAnswered(long write) {
                return false;
            }
        };
    }

    /// What the map holds of a line.
    private record Entry(long write, int reads) {}

    @Test
    void remembersWritesAndReadsOfEachLineByItself() {
        for (long seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Map<Long, Entry> expected = new HashMap<>();
            table.clear();
            for (int i = 0; i < 20_000; i++) {
                step(random, expected);
            }
            expected.forEach((line, entry) -> assertThat(entryOf(line)).isEqualTo(entry));
        }
    }

    private void step(SplittableRandom random, Map<Long, Entry> expected) {
        long line = 4 * (random.nextLong(1 << 11) << random.nextInt(30)) + random.nextInt(4);
        Entry before = expected.getOrDefault(line, new Entry(0, 0));
        assertThat(entryOf(line)).isEqualTo(before);
        int slot = table.slot(line, ALL);
        Entry after =
                switch (random.nextInt(4)) {
                    case 0 -> {
                        table.setWrite(slot, line + 1);
                        yield new Entry(line + 1, before.reads);
                    }
                    case 1 -> {
                        table.addRead(slot);
                        yield new Entry(before.write, before.reads + 1);
                    }
                    default -> {
                        for (int read = 0; read < before.reads; read++) {
                            table.removeRead(slot);
                        }
                        table.setWrite(slot, 0);
                        table.giveUp(slot);
                        yield new Entry(0, 0);
                    }
                };
        expected.put(line, after);
    }

    private Entry entryOf(long line) {
        int slot = table.find(line);
        if (slot < 0) {
            return new Entry(0, 0);
        }
        int reads = 0;
        while (table.hasReads(slot)) {
            table.removeRead(slot);
            reads++;
        }
        for (int i = 0; i < reads; i++) {
            table.addRead(slot);
        }
        return new Entry(table.write(slot), reads);
    }

    @Test
    void forgetsWhatIsOfNoInterestRatherThanGrow() {
        for (long line = 0; line < 1_000_000; line++) {
            table.setWrite(table.slot(line, NONE), 1);
        }
        long remembered = 0;
        for (long line = 0; line < 1_000_000; line++) {
            remembered += table.find(line) >= 0 ? 1 : 0;
        }
        assertThat(remembered).isLessThanOrEqualTo(2048);
    }

    @Test
    void theLinesOfARequestHaveSlotsThatFollowOneAnother() {
        int slot = table.slot(64, ALL);
        for (int line = 1; line < 4; line++) {
            assertThat(table.slot(64 + line, ALL)).isEqualTo(slot + line);
        }
        assertThat(table.end(slot + 1)).isEqualTo(slot + 4);
    }
}
