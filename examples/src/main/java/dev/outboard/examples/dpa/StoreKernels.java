package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// Device code of a key-value store: a handler per client, which answers each message of the client
/// with a message of its own. All of them share one table in DPA memory, which clients also reach
/// directly, by RDMA READ, WRITE and atomics.
///
/// A request is three words: an operation, a key, a value. An answer is two: whether there is such
/// a key, and its value.
@DpaProgram("store")
final class StoreKernels {
    static final int LOG_DEPTH = 6;
    static final int DEPTH = 1 << LOG_DEPTH;
    static final int LOG_COMPLETIONS = LOG_DEPTH + 1;
    static final int LINE = 64;

    // Operations.
    static final long ECHO = 0;
    static final long PUT = 1;
    static final long GET = 2;

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
    static final int TABLE = 72;
    static final int TAKEN = 80;
    static final int CONTEXT_BYTES = 128;

    /// Entries of the table: a key that is not 0, and its value.
    static final int SLOTS = 1 << 12;

    static final int SLOT_BYTES = 16;

    private StoreKernels() {}

    /// The handler of a client. It ends for good when the connection does.
    @DpaGlobal
    static void serve(DpaThread thread, long context) {
        thread.configureOutbox((int) thread.load64(context + OUTBOX));
        long first = thread.load64(context + TAKEN);
        long taken = first;
        long entry = completion(thread, context, taken);
        while (CompletionEntry.isReady(thread, entry, taken, LOG_COMPLETIONS)) {
            if (CompletionEntry.opcode(thread, entry) != CompletionEntry.RECEIVED_SEND) {
                thread.finish();
            }
            answer(thread, context, taken, CompletionEntry.byteCount(thread, entry));
            taken++;
            entry = completion(thread, context, taken);
        }
        thread.store64(context + TAKEN, taken);
        publish(thread, context, taken);
        if (taken != first) {
            FlexioDev.ringSendDoorbell(thread, (int) taken, (int) thread.load64(context + QUEUE));
        }
        FlexioDev.armCompletionQueue(
                thread, (int) taken, (int) thread.load64(context + COMPLETIONS));
        thread.reschedule();
    }

    private static long completion(DpaThread thread, long context, long index) {
        long slot = index & ((1 << LOG_COMPLETIONS) - 1);
        return thread.load64(context + COMPLETION_RING) + slot * CompletionEntry.BYTES;
    }

    /// Gives the buffers of all messages that were answered back to the NIC.
    private static void publish(DpaThread thread, long context, long taken) {
        long record = thread.load64(context + COMPLETION_RECORD);
        DoorbellRecord.setConsumerIndex(thread, record, (int) taken);
        thread.memoryFence(Op.RW, Op.W);
        record = thread.load64(context + RECEIVE_RECORD);
        DoorbellRecord.setProducerIndex(thread, record, (int) taken + DEPTH);
        thread.memoryWriteback();
    }

    private static void answer(DpaThread thread, long context, long index, int length) {
        long slot = index % DEPTH;
        long request = thread.load64(context + BUFFERS) + slot * LINE;
        long answer = request + (long) DEPTH * LINE;
        long operation = thread.load64(request);
        int answerBytes = 2 * Long.BYTES;
        if (operation == PUT) {
            thread.store64(answer, put(thread, context, request));
        } else if (operation == GET) {
            long found = find(thread, context, thread.load64(request + 8));
            thread.store64(answer, found == 0 ? 0 : 1);
            thread.store64(answer + 8, found == 0 ? 0 : thread.load64(found + 8));
        } else {
            // An echo comes from where it is: the buffer is given back later.
            answer = request;
            answerBytes = length;
        }
        writeEntry(thread, context, (int) index, answer, answerBytes);
    }

    private static void writeEntry(
            DpaThread thread, long context, int index, long address, int length) {
        long entry = thread.load64(context + SEND_RING) + (long) (index % DEPTH) * SendEntry.BYTES;
        int queue = (int) thread.load64(context + QUEUE);
        int key = (int) thread.load64(context + KEY);
        SendEntry.writeControl(
                thread, entry, index, SendEntry.SEND, queue, 2, SendEntry.COMPLETE_ON_ERROR);
        DataSegment.write(thread, entry + SendEntry.SEGMENT_BYTES, length, key, address);
    }

    /// @return 1, or 0 if the table is full
    private static long put(DpaThread thread, long context, long request) {
        long key = thread.load64(request + 8);
        long slot = slotFor(thread, context, key);
        if (slot == 0) {
            return 0;
        }
        thread.store64(slot + 8, thread.load64(request + 16));
        return 1;
    }

    /// Where a key is, or 0.
    private static long find(DpaThread thread, long context, long key) {
        long slot = probe(thread, context, key);
        return slot != 0 && thread.load64(slot) == key ? slot : 0;
    }

    /// Where a key is from now on, or 0 if there is no room. Handlers of other clients look for
    /// room at the same time.
    private static long slotFor(DpaThread thread, long context, long key) {
        long slot = probe(thread, context, key);
        while (slot != 0 && thread.load64(slot) != key) {
            take(thread, slot, key);
            slot = probe(thread, context, key);
        }
        return slot;
    }

    /// Takes a slot for a key, unless another handler has taken it.
    private static void take(DpaThread thread, long slot, long key) {
        long found = thread.loadReserved64(slot, AtomicOrder.ACQUIRE);
        while (found == 0 && !thread.storeConditional64(slot, key, AtomicOrder.RELEASE)) {
            found = thread.loadReserved64(slot, AtomicOrder.ACQUIRE);
        }
    }

    /// The slot of a key, or else the first free one, or 0.
    private static long probe(DpaThread thread, long context, long key) {
        long table = thread.load64(context + TABLE);
        for (int i = 0; i < SLOTS; i++) {
            long slot = table + ((home(key) + i) % SLOTS) * SLOT_BYTES;
            long found = thread.load64(slot);
            if (found == key || found == 0) {
                return slot;
            }
        }
        return 0;
    }

    /// Where the search for a key begins, for clients, too.
    static long home(long key) {
        return (key * 0x9E37_79B9_7F4A_7C15L) >>> 52;
    }
}
