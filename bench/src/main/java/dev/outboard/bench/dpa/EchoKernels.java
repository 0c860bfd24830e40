package dev.outboard.bench.dpa;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Device code that does nothing but what is measured: a handler that sends each message back from
/// where it lies, and a call that returns.
@DpaProgram("echo")
final class EchoKernels {
    static final int LOG_DEPTH = 6;
    static final int DEPTH = 1 << LOG_DEPTH;
    static final int LOG_COMPLETIONS = LOG_DEPTH + 1;
    static final int LINE = 64;

    // The words of a context, which the host fills.
    static final int OUTBOX = 0;
    static final int QUEUE = 8;
    static final int SEND_RING = 16;
    static final int RECEIVE_RECORD = 24;
    static final int COMPLETIONS = 32;
    static final int COMPLETION_RING = 40;
    static final int COMPLETION_RECORD = 48;
    static final int BUFFERS = 56;
    static final int KEY = 64;
    static final int TAKEN = 72;
    static final int CONTEXT_BYTES = 128;

    private EchoKernels() {}

    /// Returns what it gets.
    @DpaRpc
    static long same(DpaThread thread, long word) {
        return word;
    }

    /// Answers what has come, and rings once for all of it.
    @DpaGlobal
    static void echo(DpaThread thread, long context) {
        thread.configureOutbox((int) thread.load64(context + OUTBOX));
        int queue = (int) thread.load64(context + QUEUE);
        int key = (int) thread.load64(context + KEY);
        long sendRing = thread.load64(context + SEND_RING);
        long buffers = thread.load64(context + BUFFERS);
        long completionRing = thread.load64(context + COMPLETION_RING);
        int taken = (int) thread.load64(context + TAKEN);
        int first = taken;
        long entry = completionRing + slot(taken, LOG_COMPLETIONS) * CompletionEntry.BYTES;
        while (CompletionEntry.isReady(thread, entry, taken, LOG_COMPLETIONS)) {
            if (CompletionEntry.opcode(thread, entry) != CompletionEntry.RECEIVED_SEND) {
                thread.finish();
            }
            long slot = slot(taken, LOG_DEPTH);
            long send = sendRing + slot * SendEntry.BYTES;
            SendEntry.writeControl(
                    thread, send, taken, SendEntry.SEND, queue, 2, SendEntry.COMPLETE_ON_ERROR);
            DataSegment.write(
                    thread,
                    send + SendEntry.SEGMENT_BYTES,
                    CompletionEntry.byteCount(thread, entry),
                    key,
                    buffers + slot * LINE);
            taken++;
            entry = completionRing + slot(taken, LOG_COMPLETIONS) * CompletionEntry.BYTES;
        }
        thread.store64(context + TAKEN, taken);
        publish(thread, context, taken);
        if (taken != first) {
            FlexioDev.ringSendDoorbell(thread, taken, queue);
        }
        FlexioDev.armCompletionQueue(thread, taken, (int) thread.load64(context + COMPLETIONS));
        thread.reschedule();
    }

    private static long slot(int index, int logDepth) {
        return index & ((1L << logDepth) - 1);
    }

    /// Gives the buffers of all messages that were answered back to the NIC. There are twice as
    /// many as messages that clients have on their way, so an answer has left before its buffer is
    /// used again.
    private static void publish(DpaThread thread, long context, int taken) {
        long record = thread.load64(context + COMPLETION_RECORD);
        DoorbellRecord.setConsumerIndex(thread, record, taken);
        thread.memoryFence(Op.RW, Op.W);
        record = thread.load64(context + RECEIVE_RECORD);
        DoorbellRecord.setProducerIndex(thread, record, taken + DEPTH);
        thread.memoryWriteback();
    }
}
