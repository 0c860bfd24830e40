package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.litmus.Variant;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.testkit.Requirement;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// EXPLORE of programs in Java.
class ExploreTest {
    private static Explored explore(Variant variant, Profile profile) {
        DpaProcess process = LitmusKernels.open(RunMode.explore(profile));
        LitmusKernels kernels = new LitmusKernels(variant.program(), process);
        return process.explore(result -> kernels.outcome(result.end() == End.STUCK).toString());
    }

    /// No more and no less than for the same program as text.
    @Test
    @Requirement({"DPA-HW-13", "DPA-OPM-16"})
    void kernelsHaveTheOutcomesOfTheCatalog() {
        for (LitmusTest test : LitmusCatalog.all()) {
            for (Variant variant : test.variants()) {
                if (!LitmusKernels.canExplore(variant.program())) {
                    continue;
                }
                for (Profile profile : Profile.values()) {
                    Set<String> allowed =
                            variant.allowed(profile).orElseThrow().stream()
                                    .map(Outcome::toString)
                                    .collect(Collectors.toCollection(TreeSet::new));
                    assertThat(explore(variant, profile).outcomes())
                            .as("%s %s %s", test.name(), variant.name(), profile)
                            .isEqualTo(allowed);
                }
            }
        }
    }

    @Test
    @Requirement("DPA-HW-14")
    void anExplorationIsTheSameAgain() {
        Variant variant = LitmusCatalog.test(20).variants().getFirst();
        Explored first = explore(variant, Profile.SEED);
        assertThat(explore(variant, Profile.SEED)).isEqualTo(first);
        assertThat(first.states()).isGreaterThan(50);
    }

    @Test
    void aLoopThatCountsItsRoundsIsNotTakenForAPollLoop() {
        DpaProcess process = LitmusKernels.open(RunMode.explore(Profile.SEED));
        long flag = AddressMap.HEAP;
        long[] rounds = new long[1];
        process.thread(
                "patient",
                thread -> {
                    rounds[0] = 0;
                    while (rounds[0] < 5 && thread.load64(flag) == 0) {
                        rounds[0]++;
                    }
                });
        process.thread("writer", thread -> thread.store64(flag, 1));
        assertThat(process.explore(result -> result.end() + " " + rounds[0]).outcomes())
                .containsExactly("DONE 0", "DONE 1", "DONE 2", "DONE 3", "DONE 4", "DONE 5");
    }

    @Test
    void faultsAreOutcomes() {
        DpaProcess process = LitmusKernels.open(RunMode.explore(Profile.SEED));
        long pointer = AddressMap.HEAP;
        process.write64(pointer, AddressMap.HEAP + 8);
        process.thread("writer", thread -> thread.store64(pointer, 4));
        process.thread("reader", thread -> thread.load64(thread.load64(pointer)));
        assertThat(
                        process.explore(result ->
                                        result.crash()
                                                .map(crash -> crash.fault().name())
                                                .orElse("fine"))
                                .outcomes())
                .containsExactly("MISALIGNED_LOAD", "fine");
    }

    @Test
    void whatItCannotDoIsSaid() {
        DpaProcess process = LitmusKernels.open(RunMode.explore(Profile.SEED));
        process.nic("poller", nic -> nic.pollDoorbell(AddressMap.SEND_DOORBELL, 1));
        assertThatThrownBy(() -> process.explore(RunResult::toString))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("waits for doorbells");
        DpaProcess handlers = LitmusKernels.open(RunMode.explore(Profile.SEED));
        handlers.thread("on event", thread -> {}, ThreadAttributes.HANDLER);
        assertThatThrownBy(() -> handlers.explore(RunResult::toString))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("on event");
    }
}
