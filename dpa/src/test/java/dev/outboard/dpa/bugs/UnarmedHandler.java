package dev.outboard.dpa.bugs;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Observer.WordRole;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;

/// A handler takes the entry that woke it and reschedules. It has not armed its completion queue,
/// so the next entry wakes nobody.
class UnarmedHandler implements DpaProgram {
    private static final int QUEUE = 4;
    private static final int ENTRIES = 2;
    private static final long ENTRY_BYTES = 64;

    private long completions;
    private long index;
    private int outbox;

    @Override
    public void setUp(DpaProcess process) {
        completions = process.heap().allocate(ENTRIES * ENTRY_BYTES);
        process.write(completions, new byte[(int) (ENTRIES * ENTRY_BYTES)]);
        process.observer().role(completions, ENTRIES * ENTRY_BYTES, WordRole.COMPLETION, QUEUE);
        index = process.heap().allocate(ENTRY_BYTES);
        process.write64(index, 0);
        outbox = process.createOutbox();
        ThreadHandle handler = process.thread("handler", this::run, ThreadAttributes.HANDLER);
        process.observer().attach(QUEUE, handler.actor(), false);
        process.observer().doorbellOf(QUEUE, Doorbell.source(AddressMap.ARM_DOORBELL, QUEUE));
        process.nicServer(
                "nic",
                nic -> {
                    nic.store64(completions, 1);
                    nic.observer().fire(QUEUE);
                    nic.activate(handler);
                    nic.order();
                    nic.store64(completions + ENTRY_BYTES, 1);
                    nic.observer().waiting(QUEUE, 1);
                    nic.awaitDoorbell(AddressMap.ARM_DOORBELL, QUEUE);
                    nic.observer().fire(QUEUE);
                    nic.activate(handler);
                });
    }

    private void run(DpaThread thread) {
        thread.configureOutbox(outbox);
        long next = thread.load64(index);
        while (next < ENTRIES && thread.load64(completions + next * ENTRY_BYTES) != 0) {
            next++;
            thread.store64(index, next);
        }
        thread.memoryWriteback();
        if (next == ENTRIES) {
            thread.finish();
        }
        arm(thread, next);
        thread.reschedule();
    }

    void arm(DpaThread thread, long next) {
        // Forgotten.
    }

    /// How many entries the handler has taken.
    long taken(DpaProcess process) {
        return process.read64(index);
    }

    /// The same with the line that was forgotten.
    static final class Armed extends UnarmedHandler {
        @Override
        void arm(DpaThread thread, long next) {
            thread.store64(
                    AddressMap.OUTBOX + AddressMap.ARM_DOORBELL, Doorbell.arm(QUEUE, (int) next));
        }
    }
}
