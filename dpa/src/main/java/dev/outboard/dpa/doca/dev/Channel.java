package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.TransposeSegment;

/// The queue pair by which a thread has the NIC update events, since atomics of the thread reach
/// DPA memory only, and copy. An update is done when the call returns; a copy, after [#await].
final class Channel {
    private static final int INDEX_MASK = (1 << ThreadContext.LOG_ENTRIES) - 1;

    private Channel() {}

    /// Has the NIC store 8 bytes.
    static void set(DpaThread thread, long context, long address, int key, long value) {
        long entry = entry(thread, context);
        control(thread, context, entry, SendEntry.RDMA_WRITE, WordEntry.SET_SEGMENTS);
        WordEntry.set(thread, entry, address, key, value);
        send(thread, context);
    }

    /// Has the NIC add to 8 bytes.
    static void add(DpaThread thread, long context, long address, int key, long addend) {
        long entry = entry(thread, context);
        control(thread, context, entry, SendEntry.ATOMIC_FETCH_ADD, WordEntry.ADD_SEGMENTS);
        WordEntry.add(
                thread,
                entry,
                address,
                key,
                addend,
                thread.load64(context + ThreadContext.RESULT),
                (int) thread.load64(context + ThreadContext.RESULT_KEY));
        send(thread, context);
    }

    /// DPA-DM-4: has the NIC copy, and does not wait for it.
    static void copy(
            DpaThread thread,
            long context,
            long target,
            int targetKey,
            long source,
            int sourceKey,
            int lengthBytes) {
        long entry = entry(thread, context);
        control(thread, context, entry, SendEntry.LOCAL_DMA, 4);
        move(thread, entry, target, targetKey, source, sourceKey, lengthBytes);
        post(thread, context);
    }

    /// DPA-DM-4: has the NIC transpose a matrix, and does not wait for it.
    static void transpose(
            DpaThread thread,
            long context,
            long target,
            int targetKey,
            long source,
            int sourceKey,
            int lengthBytes,
            int elementBytes,
            int columns,
            int rows) {
        long entry = entry(thread, context);
        control(thread, context, entry, SendEntry.TRANSPOSE, 4);
        TransposeSegment.write(
                thread, entry + SendEntry.SEGMENT_BYTES, elementBytes, columns, rows);
        move(thread, entry, target, targetKey, source, sourceKey, lengthBytes);
        post(thread, context);
    }

    private static void move(
            DpaThread thread,
            long entry,
            long target,
            int targetKey,
            long source,
            int sourceKey,
            int lengthBytes) {
        long segment = SendEntry.SEGMENT_BYTES;
        DataSegment.write(thread, entry + 2 * segment, lengthBytes, sourceKey, source);
        DataSegment.write(thread, entry + 3 * segment, lengthBytes, targetKey, target);
    }

    /// Where the next entry goes; waits until there is room for it.
    private static long entry(DpaThread thread, long context) {
        long sent = thread.load64(context + ThreadContext.SENT);
        if (sent - thread.load64(context + ThreadContext.DONE) > INDEX_MASK) {
            take(thread, context);
        }
        return entryAt(thread, context, sent);
    }

    private static long entryAt(DpaThread thread, long context, long index) {
        long ring = thread.load64(context + ThreadContext.SEND_RING);
        return ring + (index & INDEX_MASK) * SendEntry.BYTES;
    }

    private static void control(
            DpaThread thread, long context, long entry, int opcode, int segments) {
        SendEntry.writeControl(
                thread,
                entry,
                (int) thread.load64(context + ThreadContext.SENT),
                opcode,
                (int) thread.load64(context + ThreadContext.QUEUE),
                segments,
                SendEntry.COMPLETE_ALWAYS);
    }

    private static void send(DpaThread thread, long context) {
        post(thread, context);
        await(thread, context);
    }

    private static void post(DpaThread thread, long context) {
        long sent = thread.load64(context + ThreadContext.SENT);
        thread.store64(context + ThreadContext.SENT, sent + 1);
        thread.memoryWriteback();
        int queue = (int) thread.load64(context + ThreadContext.QUEUE);
        ThreadContext.ringSendDoorbell(thread, sent + 1, queue);
    }

    /// Waits until all that was posted is done.
    static void await(DpaThread thread, long context) {
        long sent = thread.load64(context + ThreadContext.SENT);
        while (thread.load64(context + ThreadContext.DONE) != sent) {
            take(thread, context);
        }
    }

    /// Waits for the completion that comes next; they come in the order of the entries.
    private static void take(DpaThread thread, long context) {
        long done = thread.load64(context + ThreadContext.DONE);
        long ring = thread.load64(context + ThreadContext.COMPLETION_RING);
        long entry = ring + (done & INDEX_MASK) * CompletionEntry.BYTES;
        while (!CompletionEntry.isReady(thread, entry, done, ThreadContext.LOG_ENTRIES)) {
            thread.pause();
        }
        thread.resume();
        if (CompletionEntry.opcode(thread, entry) != CompletionEntry.REQUEST) {
            throw failure(thread, entry, entryAt(thread, context, done));
        }
        thread.store64(context + ThreadContext.DONE, done + 1);
        DoorbellRecord.setConsumerIndex(
                thread, thread.load64(context + ThreadContext.COMPLETION_RECORD), (int) done + 1);
        thread.memoryWriteback();
    }

    private static FaultSignal failure(DpaThread thread, long completion, long entry) {
        int opcode = SendEntry.opcode(thread, entry);
        boolean isCopy = opcode == SendEntry.LOCAL_DMA || opcode == SendEntry.TRANSPOSE;
        return new FaultSignal(
                isCopy ? Fault.COPY_FAILED : Fault.EVENT_GONE,
                "the %s ended with syndrome 0x%x"
                        .formatted(
                                isCopy ? "copy" : "update",
                                CompletionEntry.syndrome(thread, completion)));
    }
}
