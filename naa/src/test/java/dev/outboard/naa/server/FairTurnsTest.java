package dev.outboard.naa.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FairTurnsTest {
    private static List<String> takeAll(FairTurns<String, String> turns) {
        List<String> taken = new ArrayList<>();
        for (var next = turns.next(); next.isPresent(); next = turns.next()) {
            taken.add(next.get());
        }
        return taken;
    }

    @Test
    void whatFitsIsReadyAtOnce() {
        FairTurns<String, String> turns = new FairTurns<>(2, 2, 0);

        assertThat(turns.offer("a", "a1")).isTrue();
        assertThat(turns.offer("a", "a2")).isTrue();
        assertThat(turns.offer("a", "a3")).isFalse();

        assertThat(takeAll(turns)).containsExactly("a1", "a2");
        turns.done("a");
        assertThat(turns.offer("b", "b1")).isTrue();
        assertThat(takeAll(turns)).containsExactly("b1");
    }

    /// One who has many waiting gets no more turns than one who has one.
    @Test
    void keysTakeTurns() {
        FairTurns<String, String> turns = new FairTurns<>(1, 1, 100);
        turns.offer("greedy", "g0");
        for (int i = 1; i <= 5; i++) {
            turns.offer("greedy", "g" + i);
        }
        turns.offer("modest", "m1");
        turns.offer("other", "o1");
        turns.offer("other", "o2");

        List<String> order = new ArrayList<>(takeAll(turns));
        for (String key : List.of("greedy", "greedy", "modest", "other", "greedy", "other")) {
            turns.done(key);
            order.addAll(takeAll(turns));
        }

        assertThat(order).containsExactly("g0", "g1", "m1", "o1", "g2", "o2", "g3");
    }

    @Test
    void aKeyHasItsShareOfWhatRuns() {
        FairTurns<String, String> turns = new FairTurns<>(3, 2, 10);
        turns.offer("a", "a1");
        turns.offer("a", "a2");
        turns.offer("a", "a3");

        assertThat(takeAll(turns)).containsExactly("a1", "a2");
        assertThat(turns.waiting()).isEqualTo(1);
        turns.offer("b", "b1");
        assertThat(takeAll(turns)).containsExactly("b1");
        turns.done("b");
        assertThat(takeAll(turns)).as("the third stays free").isEmpty();
        turns.done("a");
        assertThat(takeAll(turns)).containsExactly("a3");
    }

    @Test
    void aKeyHasThreeQuartersOfThePlacesToWait() {
        FairTurns<String, String> turns = new FairTurns<>(1, 1, 4);
        turns.offer("a", "runs");

        for (int i = 0; i < 3; i++) {
            assertThat(turns.offer("a", "a" + i)).isTrue();
        }
        assertThat(turns.offer("a", "a4")).isFalse();
        assertThat(turns.offer("b", "b1")).isTrue();
        assertThat(turns.offer("c", "c1")).as("all places are taken").isFalse();
        assertThat(turns.waiting()).isEqualTo(4);
    }

    @Test
    void whatIsTakenBackMakesRoom() {
        FairTurns<String, String> turns = new FairTurns<>(1, 1, 1);
        turns.offer("a", "a1");
        turns.offer("b", "b1");

        assertThat(turns.remove("b", "b1")).isTrue();
        assertThat(turns.waiting()).isZero();
        assertThat(turns.offer("c", "c1")).isTrue();
        assertThat(turns.remove("a", "a1")).as("ready, and nobody has taken it").isTrue();
        assertThat(takeAll(turns)).containsExactly("c1");
        assertThat(turns.remove("c", "c1")).as("taken").isFalse();
        assertThat(turns.remove("nobody", "x")).isFalse();
    }

    @Test
    void theCapacityMayChange() {
        FairTurns<String, String> turns = new FairTurns<>(1, 5, 10);
        for (int i = 0; i < 4; i++) {
            turns.offer("a", "a" + i);
        }
        assertThat(takeAll(turns)).containsExactly("a0");

        turns.capacity(3);
        assertThat(takeAll(turns)).containsExactly("a1", "a2");
        turns.capacity(1);
        turns.done("a");
        turns.done("a");
        assertThat(takeAll(turns)).isEmpty();
        turns.done("a");
        assertThat(takeAll(turns)).containsExactly("a3");
    }
}
