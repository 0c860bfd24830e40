package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// FAST: many threads at once on few carriers.
class FastRunTest {
    private static DpaProcess open(UnitGrid units) {
        return DpaProcess.open(
                MachineOptions.DEFAULT.withUnits(units), ProgramImage.EMPTY, RunMode.fast());
    }

    /// More units than there are processors, all but one of them in a poll loop.
    @Test
    @Requirement("DPA-HW-17")
    void twoHundredAndFiftySixSpinningUnitsAndOneProducerComeToAnEnd() {
        DpaProcess process = open(new UnitGrid(17, 16, 0));
        long flag = process.heap().allocate(64);
        long count = process.heap().allocate(64);
        process.write64(count, 0);
        process.write64(flag, 0);
        for (int i = 0; i < 256; i++) {
            process.thread(
                    "spinner " + i,
                    thread -> {
                        for (long round = 1; round <= 10; round++) {
                            while (thread.load64(flag) != round) {}
                            thread.atomic64(AtomicOp.ADD, count, 1, AtomicOrder.RELAXED);
                        }
                    });
        }
        process.thread(
                "producer",
                thread -> {
                    for (long round = 1; round <= 10; round++) {
                        thread.store64(flag, round);
                        while (thread.load64(count) != 256 * round) {}
                    }
                });
        RunResult result = process.run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
        assertThat(process.read64(count)).isEqualTo(2560);
    }

    @Test
    void aNicTakesDoorbellsInTheirOrder() {
        DpaProcess process = open(UnitGrid.SMALL);
        int outbox = process.createOutbox();
        ExternalRegion results = process.external().add("results", ExternalKind.HOST, 4096);
        long ring = process.heap().allocate(8 * 1000);
        process.thread(
                "sender",
                thread -> {
                    thread.configureOutbox(outbox);
                    for (int i = 0; i < 1000; i++) {
                        thread.store64(ring + 8L * i, i);
                        thread.memoryWriteback();
                        thread.store64(
                                AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(7, i));
                    }
                });
        List<Long> seen = new ArrayList<>();
        process.nic(
                "send queue 7",
                nic -> {
                    for (int i = 0; i < 1000; i++) {
                        Doorbell doorbell = nic.awaitDoorbell(AddressMap.SEND_DOORBELL, 7);
                        seen.add(nic.load64(ring + 8L * doorbell.index()));
                    }
                    nic.store64(results.address(), seen.size());
                });
        RunResult result = process.run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
        assertThat(seen).hasSize(1000).isSorted().startsWith(0L).endsWith(999L);
        assertThat(process.read64(results.address())).isEqualTo(1000);
    }

    @Test
    void whoWaitsForADoorbellThatNobodyRingsIsNamed() {
        DpaProcess process = open(UnitGrid.SMALL);
        process.thread("idle", thread -> {});
        process.nic("send queue 1", nic -> nic.awaitDoorbell(AddressMap.SEND_DOORBELL, 1));
        process.nicServer("send queue 2", nic -> nic.awaitDoorbell(AddressMap.SEND_DOORBELL, 2));
        RunResult result = process.run();
        assertThat(result.end()).isEqualTo(End.STUCK);
        assertThat(result.stuck()).contains("send queue 1");
    }
}
