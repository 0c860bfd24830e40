package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;

/// The queue pair by which a thread has the NIC update events, since atomics of the thread reach
/// DPA memory only. An update is done when the call returns.
final class Channel {
    private static final int INDEX_MASK = (1 << ThreadContext.LOG_ENTRIES) - 1;

    private Channel() {}

    /// Has the NIC store 8 bytes.
    static void set(DpaThread thread, long context, long address, int key, long value) {
        long entry = entry(thread, context);
        long segment = SendEntry.SEGMENT_BYTES;
        control(thread, context, entry, SendEntry.RDMA_WRITE, 3);
        SendEntry.writeRemote(thread, entry + segment, address, key);
        DataSegment.writeInline(thread, entry + 2 * segment, Long.BYTES);
        // Inline data begin in the middle of 8 bytes.
        long data = DataSegment.inlineData(entry + 2 * segment);
        thread.store32(data, (int) value);
        thread.store32(data + Integer.BYTES, (int) (value >>> Integer.SIZE));
        send(thread, context);
    }

    /// Has the NIC add to 8 bytes.
    static void add(DpaThread thread, long context, long address, int key, long addend) {
        long entry = entry(thread, context);
        long segment = SendEntry.SEGMENT_BYTES;
        control(thread, context, entry, SendEntry.ATOMIC_FETCH_ADD, 4);
        SendEntry.writeRemote(thread, entry + segment, address, key);
        SendEntry.writeAtomic(thread, entry + 2 * segment, addend, 0);
        DataSegment.write(
                thread,
                entry + 3 * segment,
                Long.BYTES,
                (int) thread.load64(context + ThreadContext.RESULT_KEY),
                thread.load64(context + ThreadContext.RESULT));
        send(thread, context);
    }

    private static long entry(DpaThread thread, long context) {
        long sent = thread.load64(context + ThreadContext.SENT);
        long ring = thread.load64(context + ThreadContext.SEND_RING);
        return ring + (sent & INDEX_MASK) * SendEntry.BYTES;
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
        long sent = thread.load64(context + ThreadContext.SENT);
        thread.store64(context + ThreadContext.SENT, sent + 1);
        thread.memoryWriteback();
        thread.configureOutbox((int) thread.load64(context + ThreadContext.OUTBOX));
        int queue = (int) thread.load64(context + ThreadContext.QUEUE);
        FlexioDev.ringSendDoorbell(thread, (int) sent + 1, queue);
        long ring = thread.load64(context + ThreadContext.COMPLETION_RING);
        long entry = ring + (sent & INDEX_MASK) * CompletionEntry.BYTES;
        while (!CompletionEntry.isReady(thread, entry, sent, ThreadContext.LOG_ENTRIES)) {
            thread.pause();
        }
        if (CompletionEntry.opcode(thread, entry) != CompletionEntry.REQUEST) {
            throw new FaultSignal(
                    Fault.EVENT_GONE,
                    "the update ended with syndrome 0x%x"
                            .formatted(CompletionEntry.syndrome(thread, entry)));
        }
        DoorbellRecord.setConsumerIndex(
                thread, thread.load64(context + ThreadContext.COMPLETION_RECORD), (int) sent + 1);
        thread.memoryWriteback();
    }
}
