package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.nic.CompletionQueue.Attributes;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.process.DpaProcess;
import java.util.concurrent.atomic.AtomicInteger;

/// A handler that has found no more entry waits for the next one to be written, and only then arms
/// its queue with the index that it had before, without another look.
final class LateEntry {
    private static final int NUMBER = 9;
    private static final int LOG_DEPTH = 1;

    private final DpaProcess process;
    private final CompletionQueue queue;
    private final int outbox;
    private final long ring;
    private final long polled;
    private final long written;
    private final long activations;

    LateEntry(RunMode mode) {
        process = DpaProcess.open(NicFixture.OPTIONS, ProgramImage.EMPTY, mode);
        outbox = process.createOutbox();
        ring = process.heap().allocate(2 * CompletionEntry.BYTES);
        long words = process.heap().allocate(4 * 64);
        process.write(ring, CompletionEntry.freshRing(LOG_DEPTH));
        process.write(words, new byte[4 * 64]);
        polled = words + 64;
        written = words + 128;
        activations = words + 192;
        ThreadHandle handler = process.thread("handler", this::handle, ThreadAttributes.HANDLER);
        queue =
                new CompletionQueue(
                        NUMBER,
                        Attributes.of(ring, LOG_DEPTH, words).activating(handler),
                        new Shared(
                                process.observer(), Long.BYTES, new AtomicInteger(), event -> {}));
    }

    private void handle(DpaThread thread) {
        thread.configureOutbox(outbox);
        long activation = thread.load64(activations) + 1;
        thread.store64(activations, activation);
        thread.memoryWriteback();
        if (activation == 2) {
            thread.finish();
        }
        while (!CompletionEntry.isReady(thread, ring, 0, LOG_DEPTH)) {
            // The first is there.
        }
        if (CompletionEntry.isReady(thread, ring + CompletionEntry.BYTES, 1, LOG_DEPTH)) {
            throw new AssertionError("The second entry came too early");
        }
        thread.store64(polled, 1);
        thread.memoryWriteback();
        while (thread.load64(written) == 0) {
            // Not yet.
        }
        thread.store64(AddressMap.OUTBOX + AddressMap.ARM_DOORBELL, Doorbell.arm(NUMBER, 1));
        thread.reschedule();
    }

    RunResult run() {
        process.nic(
                "NIC",
                nic -> {
                    Completion completion = new Completion(1, 0);
                    queue.add(nic, completion.of(CompletionEntry.RECEIVED_SEND, 0, 0));
                    while (nic.load64(polled) == 0) {
                        nic.pause();
                    }
                    queue.add(nic, completion.of(CompletionEntry.RECEIVED_SEND, 1, 0));
                    nic.store64(written, 1);
                    nic.order();
                    queue.arm(nic, nic.awaitDoorbell().index());
                    while (nic.load64(activations) < 2) {
                        nic.pause();
                    }
                });
        return process.run();
    }

    long activations() {
        return process.read64(activations);
    }
}
