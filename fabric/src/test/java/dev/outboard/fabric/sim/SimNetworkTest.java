package dev.outboard.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Devices on a simulated network, seen by an application.
class SimNetworkTest {
    private static final long SECOND = 1_000_000_000;
    private static final int LENGTH = 20_000;

    @Test
    void aMessageTakesAsLongAsItsWayAndItsBits() {
        try (SimPair pair = SimPair.connect("time", "latency=1ms&bandwidth=1Gbit")) {
            long start = pair.network().nowNanos();

            assertThat(pair.write(LENGTH)).isEqualTo(CompletionStatus.SUCCESS);

            long bits = 8L * LENGTH;
            long took = pair.network().nowNanos() - start;
            assertThat(took).isBetween(2_000_000 + bits, 2_000_000 + bits * 11 / 10);
            assertThat(pair.arrived(LENGTH)).isTrue();
        }
    }

    @Test
    void aDeviceCountsWhatItSendsAndHowOften() {
        try (SimPair pair = SimPair.connect("counted", "mtu=4096")) {
            Map<String, Long> before = pair.client().device.counters();
            pair.write(LENGTH);
            Map<String, Long> after = pair.client().device.counters();

            assertThat(after.get("sent.packets") - before.get("sent.packets")).isEqualTo(5);
            assertThat(after.get("sent.calls") - before.get("sent.calls")).isOne();
            assertThat(pair.client().device.limits().maxDeviceMemoryBytes()).isEqualTo(256 << 10);
        }
    }

    @Test
    void virtualTimeTakesNoTime() {
        try (SimPair pair = SimPair.connect("hour", "")) {
            long start = System.nanoTime();
            assertThat(pair.client().completions.await(TimeUnit.HOURS.toNanos(1))).isFalse();
            assertThat(pair.network().nowNanos()).isGreaterThanOrEqualTo(3600 * SECOND);
            assertThat(System.nanoTime() - start).isLessThan(600 * SECOND);
        }
    }

    @Test
    void theSameSeedIsTheSameRun() {
        List<Map<String, Long>> runs = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        for (int seed : List.of(1, 1, 2)) {
            String faults =
                    "&loss=5%25&duplicate=5%25&reorder=5%25&corrupt=2%25&jitter=5us&latency=20us";
            try (SimPair pair = SimPair.connect("seeds", "seed=" + seed + faults)) {
                for (int i = 0; i < 50; i++) {
                    assertThat(pair.write(LENGTH)).isEqualTo(CompletionStatus.SUCCESS);
                    assertThat(pair.arrived(LENGTH)).isTrue();
                }
                runs.add(pair.network().counters());
                ends.add(pair.network().nowNanos());
            }
        }
        assertThat(runs.get(1)).isEqualTo(runs.get(0));
        assertThat(ends.get(1)).isEqualTo(ends.get(0));
        assertThat(ends.get(2)).isNotEqualTo(ends.get(0));
        assertThat(runs.get(0))
                .allSatisfy((fate, count) -> {
                    if (!List.of("cut-off", "too-long", "undeliverable", "overflowed")
                            .contains(fate)) {
                        assertThat(count).as(fate).isPositive();
                    }
                });
    }

    @Test
    void aCutEndsTheConnectionUnlessItHealsInTime() {
        try (SimPair pair = SimPair.connect("cut", "")) {
            pair.cut();
            pair.post(LENGTH);
            assertThat(pair.client().completions.await(SECOND / 10)).isFalse();
            pair.network().heal();
            assertThat(pair.awaitStatus()).isEqualTo(CompletionStatus.SUCCESS);

            pair.cut();
            assertThat(pair.write(LENGTH)).isEqualTo(CompletionStatus.RETRY_EXCEEDED);
            assertThat(pair.network().counters().get("cut-off")).isPositive();
        }
    }

    @Test
    void whatDoesNotFitTheWayFails() {
        try (SimPair pair = SimPair.connect("narrow", "mtu=4096")) {
            pair.network()
                    .limit(pair.client().device.address(), pair.server().device.address(), 2000);
            assertThat(pair.write(1500)).isEqualTo(CompletionStatus.SUCCESS);
            long start = pair.network().nowNanos();
            assertThat(pair.write(LENGTH)).isNotEqualTo(CompletionStatus.SUCCESS);
            assertThat(pair.network().nowNanos()).as("it is told at once").isEqualTo(start);
            assertThat(pair.network().counters().get("too-long")).isPositive();
        }
    }

    @Test
    void timeStandsUntilItIsStepped() {
        try (SimPair pair = SimPair.connect("model", "clock=stepped&latency=10us")) {
            SimNetwork network = pair.network();
            long start = network.nowNanos();
            pair.post(100);
            for (int i = 0; i < 1_000; i++) {
                assertThat(pair.poll()).isNull();
            }
            assertThat(network.nowNanos()).isEqualTo(start);

            network.runUntil(start + 10_000);
            assertThat(pair.poll()).isNull();
            assertThat(pair.arrived(100)).isFalse();
            network.runUntil(start + 10_100);
            assertThat(pair.arrived(100)).isTrue();
            network.runUntil(start + 21_000);
            assertThat(pair.poll()).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(network.nowNanos()).isEqualTo(start + 21_000);
        }
    }

    @Test
    void aStepGoesToWhatHappensNext() {
        try (SimPair pair = SimPair.connect("steps", "clock=stepped&latency=10us")) {
            SimNetwork network = pair.network();
            pair.post(100);
            long next = network.nextNanos();
            assertThat(next).isGreaterThan(network.nowNanos());
            assertThat(network.step()).isTrue();
            assertThat(network.nowNanos()).isEqualTo(next);
        }
    }

    @Test
    void aThreadThatWaitsIsWokenByThoseWhoStep() {
        try (SimPair pair = SimPair.connect("waiting", "clock=stepped&latency=10us")) {
            pair.post(100);
            CompletableFuture<CompletionStatus> waiting =
                    CompletableFuture.supplyAsync(pair::awaitStatus);
            pair.stepUntil(waiting::isDone);
            assertThat(waiting).isCompletedWithValue(CompletionStatus.SUCCESS);
        }
    }

    @Test
    void withTheClockOfTheWallOneSidedOperationsNeedNobody() {
        try (SimPair pair = SimPair.connect("wall", "clock=real&latency=100us")) {
            assertThat(pair.write(LENGTH)).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(pair.arrived(LENGTH)).isTrue();
            assertThatThrownBy(() -> pair.network().step())
                    .hasMessageContaining("the network wall has clock=real");
            assertThatThrownBy(() -> pair.network().runUntil(0))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_STATE));
        }
    }

    @Test
    void nobodyWaitsForEver() {
        try (SimPair pair = SimPair.connect("ever", "")) {
            assertThat(pair.client().channel.next(Duration.ofHours(1))).isEmpty();
            assertThatThrownBy(() -> pair.client().completions.await(Long.MAX_VALUE))
                    .hasMessageContaining("nothing is on its way on the network ever")
                    .hasMessageContaining("clock=real");
        }
    }
}
