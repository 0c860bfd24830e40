package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.litmus.Variant;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.testkit.Requirement;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Kernels in Java show what the catalog allows for the same program as text, in each run mode, and
/// nothing else.
class WeakRunTest {
    private static final int SEEDS = 50;
    private static final int MOST_SEEDS = 10_000;
    private static final int FAST_RUNS = 5;
    private static final int LAST_REACHED = 8;

    private static Outcome run(Variant variant, RunMode mode) {
        DpaProcess process = LitmusKernels.open(mode);
        LitmusKernels kernels = new LitmusKernels(variant.program(), process);
        RunResult result = process.run();
        assertThat(result.end())
                .as("%s %s: %s", variant.name(), mode, result)
                .isIn(End.DONE, End.STUCK);
        return kernels.outcome(result.end() == End.STUCK);
    }

    @Test
    @Requirement({"DPA-HW-13", "DPA-OPM-16"})
    void weakShowsNothingElse() {
        for (LitmusTest test : LitmusCatalog.all()) {
            for (Variant variant : test.variants()) {
                if (!LitmusKernels.canRun(variant.program())) {
                    continue;
                }
                for (Profile profile : Profile.values()) {
                    Set<Outcome> allowed = variant.allowed(profile).orElseThrow();
                    for (long seed = 0; seed < SEEDS; seed++) {
                        assertThat(allowed)
                                .as("%s %s %s seed %d", test.name(), variant.name(), profile, seed)
                                .contains(run(variant, RunMode.weak(profile, seed)));
                    }
                }
            }
        }
    }

    @Test
    @Requirement({"DPA-HW-13", "DPA-OPM-16"})
    void weakShowsAllOfTheFirstEight() {
        for (int number = 1; number <= LAST_REACHED; number++) {
            LitmusTest test = LitmusCatalog.test(number);
            for (Variant variant : test.variants()) {
                Set<Outcome> missing = new HashSet<>(variant.allowed(Profile.SEED).orElseThrow());
                for (long seed = 0; seed < MOST_SEEDS && !missing.isEmpty(); seed++) {
                    missing.remove(run(variant, RunMode.weak(Profile.SEED, seed)));
                }
                assertThat(missing).as("%s %s", test.name(), variant.name()).isEmpty();
            }
        }
    }

    /// CHECK: the checker follows a run under the rules of FAST, or of WEAK.
    @Test
    @Requirement("DPA-HW-13")
    void checkFindsTheSameUnderBothRules() {
        for (boolean fence : new boolean[] {true, false}) {
            for (int weak = 0; weak < 2; weak++) {
                Checker checker = new Checker(Profile.SEED, false);
                DpaProcess process =
                        LitmusKernels.open(
                                weak == 1
                                        ? RunMode.checkWeak(checker, Profile.SEED, 3)
                                        : RunMode.check(checker, 3));
                long data = process.heap().allocate(64);
                long flag = process.heap().allocate(64);
                process.write64(data, 0);
                process.write64(flag, 0);
                process.thread(
                        "writer",
                        thread -> {
                            thread.store64(data, 7);
                            if (fence) {
                                thread.memoryFence(Op.W, Op.W);
                            }
                            thread.store64(flag, 1);
                        });
                process.thread(
                        "reader",
                        thread -> {
                            while (thread.load64(flag) == 0) {}
                            thread.load64(data);
                        });
                assertThat(process.run().end()).isEqualTo(End.DONE);
                assertThat(checker.findings())
                        .filteredOn(finding -> finding.rule() == Rule.MISSING_FENCE)
                        .hasSize(fence ? 0 : 1);
            }
        }
    }

    /// Stores of a NIC that nobody orders may come in any order, but not those to one granule; a
    /// load comes after them, and an atomic before what follows it.
    @Test
    @Requirement("DPA-OPM-10")
    void storesOfANicKeepTheirOrderInAGranuleAndAfterAnAtomic() {
        for (long seed = 0; seed < SEEDS; seed++) {
            DpaProcess process = LitmusKernels.open(RunMode.weak(Profile.SEED, seed));
            long word = process.heap().allocate(64);
            long count = process.heap().allocate(64);
            long flag = process.heap().allocate(64);
            long result = process.heap().allocate(64);
            long[] own = new long[1];
            process.write64(count, 0);
            process.write64(flag, 0);
            process.nic(
                    "nic",
                    nic -> {
                        nic.store64(word, 1);
                        nic.store64(word, 2);
                        own[0] = nic.load64(word);
                        nic.fetchAdd64(count, 3);
                        nic.store64(flag, 1);
                    });
            process.thread(
                    "reader",
                    thread -> {
                        while (thread.load64(flag) == 0) {}
                        thread.store64(result, thread.load64(count));
                    });
            assertThat(process.run().end()).isEqualTo(End.DONE);
            assertThat(own[0]).as("seed %d", seed).isEqualTo(2);
            assertThat(process.read64(word)).as("seed %d", seed).isEqualTo(2);
            assertThat(process.read64(result)).as("seed %d", seed).isEqualTo(3);
        }
    }

    @Test
    @Requirement({"DPA-HW-13", "DPA-OPM-17"})
    void fastAndItsTurnsShowSomeOfIt() {
        for (LitmusTest test : LitmusCatalog.all()) {
            for (Variant variant : test.variants()) {
                if (!LitmusKernels.canRun(variant.program())) {
                    continue;
                }
                Set<Outcome> allowed = variant.allowed(Profile.SEED).orElseThrow();
                for (int i = 0; i < FAST_RUNS; i++) {
                    assertThat(allowed)
                            .as("%s %s", test.name(), variant.name())
                            .contains(run(variant, RunMode.fast()))
                            .contains(run(variant, RunMode.check(Observer.NONE, i)));
                }
            }
        }
    }
}
