package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.Told.HEAP;
import static dev.outboard.dpa.checker.Told.HOST;
import static dev.outboard.dpa.checker.Told.T1;
import static dev.outboard.dpa.checker.Told.T2;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// DPA-CHK-15: heap and stacks.
class BlockRulesTest {
    private static final long STACK = AddressMap.STACKS + 8192;

    private final Told told = new Told();

    @Test
    @Requirement("DPA-CHK-15")
    void heapHoldsAnythingUntilSomebodyStores() {
        told.checker.allocate(HEAP, 64, 0);
        told.checker.allocate(HEAP + 64, 64, 0);
        told.checker.initialize(HEAP + 8, 8);
        told.start();
        told.checker.load(T1, HEAP + 8, 8, 1);
        told.checker.store(T1, HEAP, 4, 2);
        told.checker.load(T1, HEAP, 4, 3);
        told.checker.store(HOST, HEAP + 64, 64, 4);
        told.checker.load(T1, HEAP + 96, 8, 5);
        assertThat(told.rules()).isEmpty();
        told.checker.load(T1, HEAP, 8, 6);
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.MEM_UNINIT);
                    assertThat(finding.second().place().line()).isEqualTo(6);
                });
    }

    /// What the owner of a process fills before the run is written; the rest of the block is not.
    @Test
    @Requirement("DPA-CHK-15")
    void whatTheOwnerOfAProcessFillsIsWritten() {
        Checker checker = new Checker(Profile.SEED, false);
        DpaProcess process =
                DpaProcess.open(
                        MachineOptions.DEFAULT, ProgramImage.EMPTY, RunMode.check(checker, 1));
        long block = process.heap().allocate(64);
        process.write64(block, 7);
        process.write(block + 16, (byte) 1, (byte) 2);
        process.thread(
                "reader",
                thread -> {
                    thread.load64(block);
                    thread.load16(block + 16);
                    thread.load16(block + 18);
                });
        process.run();
        assertThat(checker.findings())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.MEM_UNINIT);
                    assertThat(finding.location()).isEqualTo("0x%x".formatted(block + 18));
                });
    }

    @Test
    @Requirement("DPA-CHK-15")
    void anAtomicOnUnwrittenHeapReadsItToo() {
        told.checker.allocate(HEAP, 64, 0);
        told.start();
        told.checker.atomic(T1, HEAP, 8, AtomicOrder.RELAXED, true, 1);
        assertThat(told.rules()).containsExactly(Rule.MEM_UNINIT);
    }

    @Test
    @Requirement("DPA-CHK-15")
    void whatABlockHeldBeforeItWasAllocatedAgainIsGone() {
        told.checker.allocate(HEAP, 64, 0);
        told.start();
        told.checker.store(T1, HEAP, 8, 1);
        told.checker.free(HEAP, 2);
        told.checker.allocate(HEAP, 64, 3);
        told.checker.load(T1, HEAP, 8, 4);
        assertThat(told.rules()).containsExactly(Rule.MEM_UNINIT);
    }

    @Test
    @Requirement("DPA-CHK-15")
    void accessesStayInsideALiveBlock() {
        told.checker.allocate(HEAP, 60, 0);
        told.start();
        told.checker.store(T1, HEAP + 56, 4, 1);
        assertThat(told.rules()).isEmpty();
        told.checker.store(T1, HEAP + 56, 8, 2);
        told.checker.store(T1, HEAP + 128, 8, 3);
        told.checker.store(T1, HEAP - 64, 8, 4);
        assertThat(told.rules()).containsOnly(Rule.HEAP_OOB).hasSize(3);
    }

    @Test
    @Requirement("DPA-CHK-15")
    void aFreedBlockIsUsedNoMore() {
        told.checker.allocate(HEAP, 64, 0);
        told.start();
        told.checker.store(T1, HEAP, 8, 1);
        told.checker.free(HEAP, 2);
        assertThat(told.rules()).isEmpty();
        told.checker.load(T1, HEAP, 8, 3);
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.USE_AFTER_FREE);
                    assertThat(finding.first().place().line()).isEqualTo(2);
                });
    }

    @Test
    @Requirement("DPA-CHK-15")
    void aHeapWithoutBlocksIsNotLookedAt() {
        told.start();
        told.checker.load(T1, HEAP, 8, 1);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement({"DPA-CHK-15", "DPA-HW-9"})
    void aStackKeepsNothingFromOneActivationToTheNext() {
        told.checker.stack(T1, STACK, 8192);
        told.start();
        told.checker.begin(T1, false, 0);
        told.checker.store(T1, STACK, 8, 1);
        told.checker.load(T1, STACK, 8, 2);
        told.checker.end(T1, Ending.RESCHEDULE, 3);
        assertThat(told.rules()).isEmpty();
        told.checker.begin(T1, false, 0);
        told.checker.load(T1, STACK, 8, 4);
        assertThat(told.rules()).containsExactly(Rule.MEM_UNINIT);
    }

    @Test
    @Requirement("DPA-CHK-15")
    void aStackIsForItsThreadAlone() {
        told.checker.stack(T1, STACK, 8192);
        told.checker.stack(T2, STACK + 16384, 8192);
        told.start();
        told.checker.begin(T1, false, 0);
        told.checker.begin(T2, false, 0);
        told.checker.store(T1, STACK, 8, 1);
        told.checker.store(T2, STACK + 16384, 8, 2);
        assertThat(told.rules()).isEmpty();
        told.checker.store(T2, STACK + 8, 8, 3);
        assertThat(told.rules()).containsExactly(Rule.FOREIGN_STACK);
    }

    @Test
    @Requirement("DPA-CHK-15")
    void aBlockTakesThePlaceOfAllThatWereThere() {
        told.checker.allocate(HEAP + 32, 32, 0);
        told.checker.initialize(HEAP + 32, 8);
        told.start();
        told.checker.free(HEAP + 32, 1);
        told.checker.allocate(HEAP, 64, 2);
        told.checker.store(T1, HEAP + 40, 8, 3);
        assertThat(told.rules()).isEmpty();
        told.checker.load(T1, HEAP + 32, 8, 4);
        assertThat(told.rules()).containsExactly(Rule.MEM_UNINIT);
    }
}
