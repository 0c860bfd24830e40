package dev.outboard.fabric.roce.rc;

import dev.outboard.testkit.Seeds;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/// Two queue pairs, all operations, one faulty network, many seeds: every byte arrives once and in
/// the order of its completion, or the request that carried it completes with the reason why not.
class RcCampaignTest {
    private static final int SEEDS = 2_000;

    @Test
    void everySeedDeliversEveryByteOnceOrFailsWithTheRightStatus() {
        Seeds.parallelCampaign(
                SEEDS,
                seed -> {
                    try (Arena arena = Arena.ofShared()) {
                        new RcCampaign(seed, arena).run();
                    }
                });
    }
}
