package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// Reservations under FAST, where a store and a reservation may meet at any instruction.
///
/// In each round somebody writes the number of the round, and a thread reserves until it sees that
/// number. Nobody writes after that, so the conditional store has to succeed.
class FastReservationTest {
    private static final int ROUNDS = 100_000;

    /// On a machine that does much else a round takes as long as a slice of its scheduler.
    private static final long ENOUGH_NANOS = 10_000_000_000L;

    /// In the place of the number of a round.
    private static final long OVER = -2;

    private final DpaProcess process =
            DpaProcess.open(MachineOptions.DEFAULT, ProgramImage.EMPTY, RunMode.fast());
    private final long word = process.heap().allocate(64);
    private final long acknowledged = process.heap().allocate(64);
    private final long begin = System.nanoTime();
    private int failed;

    private void reserves(DpaThread thread) {
        for (long round = 1; ; round++) {
            long seen;
            do {
                seen = thread.loadReserved64(word, AtomicOrder.RELAXED);
                if (seen == OVER) {
                    return;
                }
            } while (seen != round);
            if (!thread.storeConditional64(word, round, AtomicOrder.RELAXED)) {
                failed++;
            }
            thread.store64(acknowledged, round);
        }
    }

    private boolean goesOn(long round) {
        return round <= ROUNDS && System.nanoTime() - begin < ENOUGH_NANOS;
    }

    private void nobodyFails() {
        process.write64(word, 0);
        process.write64(acknowledged, 0);
        process.thread("reserves", this::reserves);
        RunResult result = process.run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
        assertThat(failed).isZero();
    }

    @Test
    @Requirement("DPA-OPM-8")
    void aStoreThatWasSeenEndsNoReservation() {
        process.thread(
                "writes",
                thread -> {
                    for (long round = 1; goesOn(round); round++) {
                        thread.store64(word, round);
                        while (thread.load64(acknowledged) != round) {}
                    }
                    thread.store64(word, OVER);
                });
        nobodyFails();
    }

    @Test
    @Requirement("DPA-OPM-8")
    void anAtomicOfTheNicThatWasSeenEndsNoReservation() {
        process.nic(
                "adds",
                nic -> {
                    for (long round = 1; goesOn(round); round++) {
                        nic.fetchAdd64(word, 1);
                        while (nic.load64(acknowledged) != round) {}
                    }
                    nic.store64(word, OVER);
                });
        nobodyFails();
    }

    @Test
    @Requirement("DPA-OPM-8")
    void aComparisonThatFailsEndsNoReservation() {
        process.nic(
                "compares",
                nic -> {
                    for (long round = 1; goesOn(round); round++) {
                        nic.store64(word, round);
                        while (nic.load64(acknowledged) != round) {
                            nic.compareSwap64(word, -1, 0);
                        }
                    }
                    nic.store64(word, OVER);
                });
        nobodyFails();
    }
}
