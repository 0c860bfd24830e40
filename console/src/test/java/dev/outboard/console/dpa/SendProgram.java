package dev.outboard.console.dpa;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;

/// Rings for an entry that was not written back.
public final class SendProgram implements DpaProgram {
    private static final int QUEUE = 5;

    @Override
    public void setUp(DpaProcess process) {
        long entry = process.heap().allocate(64);
        process.observer().name(entry, 64, "entry");
        int outbox = process.createOutbox();
        process.thread(
                "sender",
                thread -> {
                    thread.configureOutbox(outbox);
                    thread.store64(entry, 1);
                    thread.store64(
                            AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(QUEUE, 1));
                });
        process.nic(
                "nic",
                nic -> {
                    nic.awaitDoorbell(AddressMap.SEND_DOORBELL, QUEUE);
                    nic.load64(entry);
                });
    }
}
