package dev.outboard.naa.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.server.Standing.Use;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Who gives up the place when all are taken.
class StandingTest {
    private static final Duration IDLE = Duration.ofSeconds(10);

    private static Standing of(Use use, long millis) {
        return new Standing(use, Duration.ofMillis(millis).toNanos());
    }

    private static Optional<String> victim(Map<String, Standing> all) {
        return Standing.leastDeserving(List.copyOf(all.keySet()), all::get, IDLE);
    }

    @Test
    void firstTheOneThatNeverAskedForRegionsThenTheLongestIdle() {
        Map<String, Standing> all =
                Map.of(
                        "busy", of(Use.BUSY, 0),
                        "idle", of(Use.IDLE, 20_000),
                        "idler", of(Use.IDLE, 30_000),
                        "silent", of(Use.NO_REGIONS, 1_500),
                        "silent for longer", of(Use.NO_REGIONS, 1_600),
                        "deaf", of(Use.STALLED, 40_000));

        assertThat(victim(all)).hasValue("silent for longer");
        assertThat(victim(Map.of("deaf", all.get("deaf"), "idler", all.get("idler"))))
                .hasValue("deaf");
        assertThat(victim(Map.of("idle", all.get("idle"), "idler", all.get("idler"))))
                .hasValue("idler");
        assertThat(victim(Map.of("half", of(Use.HALF_OPEN, 1_000), "x", of(Use.NO_REGIONS, 9_000))))
                .hasValue("half");
    }

    @Test
    void nobodyWhoUsesThePlaceOrHadNoTimeTo() {
        assertThat(
                        victim(
                                Map.of(
                                        "busy", of(Use.BUSY, 60_000),
                                        "idle", of(Use.IDLE, 9_999),
                                        "new", of(Use.NO_REGIONS, 999),
                                        "half", of(Use.HALF_OPEN, 999),
                                        "slow", of(Use.STALLED, 999))))
                .isEmpty();
    }

    @Test
    void whoMayBeIdleForEverIsNeverEvicted() {
        assertThat(
                        Standing.leastDeserving(
                                List.of(of(Use.IDLE, Long.MAX_VALUE / 1_000_000)),
                                standing -> standing,
                                Duration.ZERO))
                .isEmpty();
    }

    @Test
    void saysWhy() {
        assertThat(of(Use.NO_REGIONS, 1_540).text())
                .isEqualTo("asked for no regions for 1.5 s while others wanted its place");
    }
}
