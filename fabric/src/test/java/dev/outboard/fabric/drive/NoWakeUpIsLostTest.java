package dev.outboard.fabric.drive;

import dev.outboard.testkit.Seeds;
import org.junit.jupiter.api.Test;

/// Sleeping and waking of the threads that drive a device, interleaved as chance wants it. A seed
/// decides what they do, but not when the processors do it.
class NoWakeUpIsLostTest {
    private static final int ROUNDS = 100_000;
    private static final int RELAYS = 20;

    @Test
    void whoeverSleepsIsWoken() {
        Seeds.campaign(RELAYS, seed -> new Relay(seed, ROUNDS / RELAYS, false).run());
    }

    @Test
    void aThreadThatComesAsAnotherLeavesIsWoken() {
        Seeds.campaign(RELAYS, seed -> new Relay(seed, ROUNDS / RELAYS, true).run());
    }
}
