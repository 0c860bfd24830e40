package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.EthernetSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Device code of the packet processor: an event handler that sends each frame back to where it
/// came from, with its payload in capital letters. [PacketProcessor] is its host code.
///
/// A frame is answered from the buffer that it came in. Receive entries never change: entry `n`
/// names buffer `n`, and is posted again when the answer has left.
@DpaProgram("packets")
final class PacketKernels {
    static final int LOG_BUFFERS = 4;
    static final int BUFFERS = 1 << LOG_BUFFERS;
    static final int BUFFER_BYTES = 2048;
    static final int LOG_COMPLETIONS = LOG_BUFFERS + 1;

    // The words of a context, which the host fills.
    static final int OUTBOX = 0;
    static final int SEND_QUEUE = 8;
    static final int SEND_RING = 16;
    static final int RECEIVE_RECORD = 24;
    static final int COMPLETIONS = 32;
    static final int COMPLETION_RING = 40;
    static final int COMPLETION_RECORD = 48;
    static final int DATA = 56;
    static final int KEY = 64;
    static final int TAKEN = 72;
    static final int SENT = 80;
    static final int POSTED = 88;
    static final int ANSWERED = 96;
    static final int CONTEXT_BYTES = 104;

    private static final int ADDRESS_BYTES = 6;
    private static final int HEADER_BYTES = 14;
    private static final int CAPITAL = 'a' - 'A';

    private PacketKernels() {}

    /// The handler.
    @DpaGlobal
    static void process(DpaThread thread, long context) {
        thread.configureOutbox((int) thread.load64(context + OUTBOX));
        long taken = thread.load64(context + TAKEN);
        long entry = completion(thread, context, taken);
        while (CompletionEntry.isReady(thread, entry, taken, LOG_COMPLETIONS)) {
            int opcode = CompletionEntry.opcode(thread, entry);
            int buffer = CompletionEntry.workCounter(thread, entry) % BUFFERS;
            int length = CompletionEntry.byteCount(thread, entry);
            taken++;
            take(thread, context, taken);
            if (opcode == CompletionEntry.RECEIVED_SEND) {
                answer(thread, context, buffer, length);
            } else if (opcode == CompletionEntry.REQUEST) {
                postReceive(thread, context);
            } else {
                thread.error(opcode);
            }
            entry = completion(thread, context, taken);
        }
        thread.memoryWriteback();
        int queue = (int) thread.load64(context + COMPLETIONS);
        FlexioDev.armCompletionQueue(thread, (int) taken, queue);
        thread.reschedule();
    }

    private static long completion(DpaThread thread, long context, long taken) {
        long slot = taken & ((1 << LOG_COMPLETIONS) - 1);
        return thread.load64(context + COMPLETION_RING) + slot * CompletionEntry.BYTES;
    }

    private static void take(DpaThread thread, long context, long taken) {
        thread.store64(context + TAKEN, taken);
        long record = thread.load64(context + COMPLETION_RECORD);
        DoorbellRecord.setConsumerIndex(thread, record, (int) taken);
    }

    private static void answer(DpaThread thread, long context, int buffer, int length) {
        long frame = thread.load64(context + DATA) + (long) buffer * BUFFER_BYTES;
        for (int i = 0; i < ADDRESS_BYTES; i++) {
            byte destination = thread.load8(frame + i);
            thread.store8(frame + i, thread.load8(frame + ADDRESS_BYTES + i));
            thread.store8(frame + ADDRESS_BYTES + i, destination);
        }
        for (int i = HEADER_BYTES; i < length; i++) {
            byte letter = thread.load8(frame + i);
            if (letter >= 'a' && letter <= 'z') {
                thread.store8(frame + i, (byte) (letter - CAPITAL));
            }
        }
        send(thread, context, frame, length);
    }

    private static void send(DpaThread thread, long context, long frame, int length) {
        int sent = (int) thread.load64(context + SENT);
        int queue = (int) thread.load64(context + SEND_QUEUE);
        long entry = thread.load64(context + SEND_RING) + (long) (sent % BUFFERS) * SendEntry.BYTES;
        SendEntry.writeControl(
                thread, entry, sent, SendEntry.SEND, queue, 3, SendEntry.COMPLETE_ALWAYS);
        EthernetSegment.write(thread, entry + SendEntry.SEGMENT_BYTES, 0);
        int key = (int) thread.load64(context + KEY);
        DataSegment.write(thread, entry + 2 * SendEntry.SEGMENT_BYTES, length, key, frame);
        thread.store64(context + SENT, sent + 1);
        thread.memoryWriteback();
        FlexioDev.ringSendDoorbell(thread, sent + 1, queue);
    }

    /// An answer has left: its buffer is free, and the host may know.
    private static void postReceive(DpaThread thread, long context) {
        int posted = (int) thread.load64(context + POSTED) + 1;
        thread.store64(context + POSTED, posted);
        DoorbellRecord.setProducerIndex(thread, thread.load64(context + RECEIVE_RECORD), posted);
        thread.memoryWriteback();
        thread.atomic64(AtomicOp.ADD, context + ANSWERED, 1, AtomicOrder.RELEASE);
    }

    /// Waits until so many frames have been answered.
    @DpaRpc
    static long awaitAnswers(DpaThread thread, DpaAddr context, int count) {
        long answered = context.value() + ANSWERED;
        while (thread.atomic64(AtomicOp.ADD, answered, 0, AtomicOrder.ACQUIRE) < count) {
            // Not yet.
        }
        return count;
    }
}
