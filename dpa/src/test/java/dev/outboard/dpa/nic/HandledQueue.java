package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.CompletionQueue.Attributes;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.process.DpaProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/// A completion queue with a handler that runs the loop of the seed, and a NIC whose program writes
/// entries.
final class HandledQueue {
    static final int LOG_DEPTH = 2;
    static final int DEPTH = 1 << LOG_DEPTH;
    private static final int NUMBER = 9;

    private static final MachineOptions OPTIONS =
            MachineOptions.DEFAULT
                    .withUnits(new UnitGrid(1, 2, 0))
                    .withStorage(new Storage(1024, 64, false));

    final DpaProcess process;
    final CompletionQueue queue;
    final NicCounters counters;
    final List<AsyncEvent> events = new ArrayList<>();
    private final Completion completion = new Completion(NUMBER + 1, 0);
    private final Handler handler;
    private final int outbox;
    private final long ring;
    private final long record;

    /// Words of the software context.
    private final long taken;

    private final long activations;
    private final long wrong;

    /// What the handler does.
    ///
    /// @param last how many entries it takes before it finishes
    record Handler(int last, boolean writesBack, boolean arms) {
        /// The loop of the seed.
        static Handler of(int last) {
            return new Handler(last, true, true);
        }
    }

    HandledQueue(RunMode mode, Handler handler, UnaryOperator<Attributes> attributes) {
        this.handler = handler;
        process = DpaProcess.open(OPTIONS, ProgramImage.EMPTY, mode);
        outbox = process.createOutbox();
        ring = process.heap().allocate(CompletionEntry.BYTES << LOG_DEPTH);
        record = process.heap().allocate(64);
        taken = process.heap().allocate(64);
        activations = taken + 8;
        wrong = taken + 16;
        process.write(ring, CompletionEntry.freshRing(LOG_DEPTH));
        process.write(record, new byte[64]);
        process.write(taken, new byte[64]);
        ThreadHandle thread = process.thread("handler", this::handle, ThreadAttributes.HANDLER);
        Shared shared =
                new Shared(process.observer(), Long.BYTES, new AtomicInteger(), events::add);
        counters = shared.counters();
        queue =
                new CompletionQueue(
                        NUMBER,
                        attributes.apply(Attributes.of(ring, LOG_DEPTH, record).activating(thread)),
                        shared);
    }

    private long entry(long index) {
        return ring + (index & (DEPTH - 1)) * CompletionEntry.BYTES;
    }

    private void handle(DpaThread thread) {
        thread.configureOutbox(outbox);
        thread.store64(activations, thread.load64(activations) + 1);
        long index = thread.load64(taken);
        while (index != handler.last
                && CompletionEntry.isReady(thread, entry(index), index, LOG_DEPTH)) {
            if (CompletionEntry.workCounter(thread, entry(index)) != index) {
                thread.store64(wrong, 1);
            }
            index++;
            thread.store64(taken, index);
            DoorbellRecord.setConsumerIndex(thread, record, (int) index);
            if (handler.writesBack) {
                thread.memoryWriteback();
            }
        }
        if (index == handler.last) {
            thread.finish();
        }
        if (handler.arms) {
            arm(thread, index);
        }
        thread.reschedule();
    }

    private static void arm(DpaThread thread, long index) {
        thread.store64(
                AddressMap.OUTBOX + AddressMap.ARM_DOORBELL, Doorbell.arm(NUMBER, (int) index));
    }

    /// Adds a thread that arms the queue from the first entry on.
    void armOnce() {
        process.thread(
                "arms",
                thread -> {
                    thread.configureOutbox(outbox);
                    arm(thread, 0);
                });
    }

    /// Runs it with that NIC.
    RunResult run(Nic.Program program) {
        process.nic("NIC", program);
        return process.run();
    }

    /// Writes the next entry.
    boolean add(Nic nic) {
        return queue.add(
                nic, completion.of(CompletionEntry.RECEIVED_SEND, (int) queue.written(), 0));
    }

    /// Takes a doorbell that arms the queue, if there is one.
    ///
    /// @return the consumer index that it tells, or -1
    int takeArm(Nic nic) {
        AtomicInteger armed = new AtomicInteger(-1);
        nic.pollDoorbell((register, value, uar, token) -> {
            armed.set(Doorbell.index(register, value));
            queue.arm(nic, armed.get());
        });
        return armed.get();
    }

    /// Waits until so many entries were taken, as the doorbell record says.
    void awaitTaken(Nic nic, long entries) {
        while (DoorbellRecord.consumerIndex(nic, record) < entries) {
            takeArm(nic);
            nic.pause();
        }
    }

    long taken() {
        return process.read64(taken);
    }

    /// How many activations have begun, as the NIC sees it.
    long activationsSeen(Nic nic) {
        return nic.load64(activations);
    }

    long activations() {
        return process.read64(activations);
    }

    boolean inOrder() {
        return process.read64(wrong) == 0;
    }
}
