package dev.outboard.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CountersTest {
    private enum Fruit {
        APPLE,
        BLOOD_ORANGE
    }

    private final Counters<Fruit> counters = new Counters<>(Fruit.class);

    @Test
    void countsEachNameByItself() {
        counters.increment(Fruit.APPLE);
        counters.add(Fruit.BLOOD_ORANGE, 5);
        counters.add(Fruit.BLOOD_ORANGE, 7);

        assertThat(counters.get(Fruit.APPLE)).isEqualTo(1);
        assertThat(counters.get(Fruit.BLOOD_ORANGE)).isEqualTo(12);
        assertThat(counters.total()).isEqualTo(13);
    }

    @Test
    void startsAnew() {
        counters.add(Fruit.APPLE, 2);
        counters.add(Fruit.BLOOD_ORANGE, 3);
        counters.clear();

        assertThat(counters.total()).isZero();
        counters.increment(Fruit.BLOOD_ORANGE);
        assertThat(counters.get(Fruit.BLOOD_ORANGE)).isEqualTo(1);
    }

    @Test
    void namesAreInLowerCaseWithDashes() {
        counters.add(Fruit.BLOOD_ORANGE, 3);
        Map<String, Long> into = new TreeMap<>();
        counters.copyTo(into, "fruit-");

        assertThat(into).isEqualTo(Map.of("fruit-apple", 0L, "fruit-blood-orange", 3L));
    }
}
