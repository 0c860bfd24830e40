package dev.outboard.dpa.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.nic.HandledQueue.Handler;
import dev.outboard.testkit.Requirement;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// Entries, arming, rescheduling and finishing in any order: no wake-up is lost.
class WakeUpTest {
    private static final int INTERLEAVINGS = 100_000;
    private static final int MOST_ENTRIES = 3;
    private static final long LIMIT = 100_000;

    /// Half of the seeds run under the rules of FAST, half under those of the model.
    private static RunMode mode(long seed) {
        return new RunMode.Turns(
                seed % 2 == 0 ? Optional.empty() : Optional.of(Profile.SEED),
                seed,
                Observer.NONE,
                ProgramEdits.NONE,
                LIMIT);
    }

    private static void run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int entries = 1 + random.nextInt(MOST_ENTRIES);
        HandledQueue handled =
                new HandledQueue(mode(seed), Handler.of(entries), UnaryOperator.identity());
        RunResult result =
                handled.run(nic -> {
                    for (int n = 0; n < entries; n++) {
                        for (int i = random.nextInt(8); i > 0; i--) {
                            handled.takeArm(nic);
                        }
                        handled.add(nic);
                    }
                    handled.awaitTaken(nic, entries);
                });
        assertThat(result.end()).as("seed %d: %s", seed, result).isEqualTo(End.DONE);
        assertThat(handled.taken()).as("seed %d", seed).isEqualTo(entries);
        assertThat(handled.inOrder()).as("seed %d", seed).isTrue();
        assertThat(handled.activations()).as("seed %d", seed).isBetween(1L, entries + 1L);
    }

    @Test
    @Requirement({"DPA-FXE-4", "DPA-FXE-5", "DPA-FXE-10"})
    void noneIsLost() {
        long first = Long.getLong("seed", 1);
        long seeds = System.getProperty("seed") == null ? INTERLEAVINGS : 1;
        LongStream.range(first, first + seeds).parallel().forEach(WakeUpTest::run);
    }
}
