package dev.outboard.node.offload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TargetTurnsTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    private final TargetTurns turns = new TargetTurns(Target.DPA);
    private final List<Integer> entered = Collections.synchronizedList(new ArrayList<>());

    private static RpcContext rpc(Duration time) {
        return new RpcContext(1, 0, List.of(), List.of(), System.nanoTime() + time.toNanos());
    }

    private Thread entering(int number) {
        return Thread.startVirtualThread(() -> {
            try {
                turns.enter(rpc(LONG));
                entered.add(number);
            } catch (RoutineException | InterruptedException e) {
                entered.add(-number);
            }
        });
    }

    private Long count(String what) {
        Map<String, Long> sums = new TreeMap<>();
        turns.addTo(sums);
        return sums.getOrDefault("target.dpa." + what, -1L);
    }

    @Test
    void letsAsManyInAsMayAndTheOthersInTheirOrder() throws Exception {
        turns.limit(new TargetLimit(2, 10));
        turns.enter(rpc(LONG));
        turns.enter(rpc(LONG));
        for (int i = 1; i <= 3; i++) {
            Thread _ = entering(i);
            long waiting = i;
            Eventually.until(() -> count("waiting") == waiting);
        }
        assertThat(entered).isEmpty();
        for (int i = 1; i <= 3; i++) {
            turns.leave();
            int size = i;
            Eventually.until(() -> entered.size() == size);
        }
        assertThat(entered).containsExactly(1, 2, 3);
        assertThat(count("running")).isEqualTo(2);
        assertThat(count("waiting")).isZero();
        assertThat(count("busy")).isZero();
    }

    @Test
    void refusesWhatFindsNoRoomToWait() throws Exception {
        turns.limit(new TargetLimit(1, 1));
        turns.enter(rpc(LONG));
        Thread _ = entering(1);
        Eventually.until(() -> count("waiting") == 1);

        assertThatThrownBy(() -> turns.enter(rpc(LONG)))
                .isInstanceOfSatisfying(
                        RoutineException.class,
                        e -> assertThat(e.returnCode()).isEqualTo(TargetError.BUSY.code()))
                .hasMessage("1 calls run on target 'dpa', and 1 wait already");
        assertThat(count("busy")).isEqualTo(1);
    }

    @Test
    void nobodyWaitsLongerThanTheCallMayTake() throws Exception {
        turns.limit(new TargetLimit(1, 10));
        turns.enter(rpc(LONG));

        assertThatThrownBy(() -> turns.enter(rpc(Duration.ofMillis(1))))
                .isInstanceOf(RoutineException.class)
                .hasMessageContaining("until the time of the call was over");
        assertThat(count("waiting")).isZero();
        turns.leave();
        turns.enter(rpc(LONG));
    }

    @Test
    void whoeverIsInterruptedMakesRoom() throws Exception {
        turns.limit(new TargetLimit(1, 10));
        turns.enter(rpc(LONG));
        Thread first = entering(1);
        Eventually.until(() -> count("waiting") == 1);
        Thread _ = entering(2);
        Eventually.until(() -> count("waiting") == 2);
        first.interrupt();
        Eventually.until(() -> entered.equals(List.of(-1)));
        turns.leave();
        Eventually.until(() -> entered.equals(List.of(-1, 2)));
    }

    @Test
    void anotherLimitCountsForThoseThatWait() throws Exception {
        turns.limit(new TargetLimit(1, 10));
        turns.enter(rpc(LONG));
        Thread _ = entering(1);
        Eventually.until(() -> count("waiting") == 1);
        turns.limit(TargetLimit.NONE);
        Eventually.until(() -> entered.size() == 1);
        turns.limit(new TargetLimit(1, 0));
        assertThatThrownBy(() -> turns.enter(rpc(LONG))).isInstanceOf(RoutineException.class);
    }

    @Test
    void limitsThatNoCallPassesAreRefused() {
        assertThatThrownBy(() -> new TargetLimit(0, 1)).hasMessageContaining("valid: at least 1");
        assertThatThrownBy(() -> new TargetLimit(1, -1)).hasMessageContaining("valid: 0 or more");
    }
}
