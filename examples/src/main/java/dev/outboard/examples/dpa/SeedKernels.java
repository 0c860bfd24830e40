package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Device code of the worked examples in NVIDIA's text about the DPA: event handler, RPC, heap,
/// window, outbox, and the cases of its chapter on fences. `docs/seed-examples.md` shows each as
/// printed and what had to change. Where the print leaves a writeback out there are two functions;
/// the one whose name ends with `AsPrinted` leaves it out, too.
@DpaProgram("seed")
final class SeedKernels {
    static final int LOG_ENTRIES = 2;
    static final int ENTRIES = 1 << LOG_ENTRIES;
    static final int LOG_COMPLETIONS = 3;
    static final int LINE = 64;

    // The words of a context, which the host fills: `struct my_db`.
    static final int OUTBOX = 0;
    static final int QUEUE = 8;
    static final int SEND_RING = 16;
    static final int RECEIVE_RING = 24;
    static final int RECEIVE_RECORD = 32;
    static final int COMPLETIONS = 40;
    static final int COMPLETION_RING = 48;
    static final int COMPLETION_RECORD = 56;
    static final int BUFFERS = 64;
    static final int KEY = 72;
    static final int TAKEN = 80;
    static final int SENT = 88;
    static final int POSTED = 96;
    static final int WORK = 104;
    static final int DONE = 112;
    static final int CONTEXT_BYTES = 120;

    /// How many messages the event handler gets.
    static final int MESSAGES = 3;

    private SeedKernels() {}

    // An event handler that works on each completion

    /// The handler.
    @DpaGlobal
    static void handle(DpaThread thread, long db) {
        thread.configureOutbox((int) thread.load64(db + OUTBOX));
        while (hasCompletion(thread, db)) {
            work(thread, db);
        }
        tellEnd(thread, db);
        thread.memoryWriteback();
        arm(thread, db);
        thread.reschedule();
    }

    /// As printed: nothing brings the consumer index to the NIC before the queue is armed.
    @DpaGlobal
    static void handleAsPrinted(DpaThread thread, long db) {
        thread.configureOutbox((int) thread.load64(db + OUTBOX));
        while (hasCompletion(thread, db)) {
            work(thread, db);
        }
        tellEnd(thread, db);
        arm(thread, db);
        thread.reschedule();
    }

    /// Adds what has come to a sum.
    private static void work(DpaThread thread, long db) {
        long entry = completion(thread, db);
        int buffer = CompletionEntry.workCounter(thread, entry) % ENTRIES;
        long word = thread.load64(thread.load64(db + BUFFERS) + (long) buffer * LINE);
        thread.store64(db + WORK, thread.load64(db + WORK) + word);
        take(thread, db);
    }

    /// Says that all messages have been worked on, for [#worked].
    private static void tellEnd(DpaThread thread, long db) {
        if (thread.load64(db + TAKEN) == MESSAGES) {
            thread.atomic64(AtomicOp.ADD, db + DONE, 1, AtomicOrder.RELEASE);
        }
    }

    private static void arm(DpaThread thread, long db) {
        int taken = (int) thread.load64(db + TAKEN);
        FlexioDev.armCompletionQueue(thread, taken, (int) thread.load64(db + COMPLETIONS));
    }

    /// Waits until the handler has worked on all messages.
    ///
    /// @return what it has added up
    @DpaRpc
    static long worked(DpaThread thread, DpaAddr db) {
        long done = db.value() + DONE;
        while (thread.atomic64(AtomicOp.ADD, done, 0, AtomicOrder.ACQUIRE) == 0) {
            // Not yet.
        }
        return thread.load64(db.value() + WORK);
    }

    // An RPC that takes a flag

    /// Takes the flag of the context.
    ///
    /// @return 1 if it was taken already
    @DpaRpc
    static long takeFlag(DpaThread thread, DpaAddr flag) {
        if (thread.load64(flag.value()) != 0) {
            return 1;
        }
        thread.store64(flag.value(), 1);
        return 0;
    }

    // An RPC whose argument is in the heap

    /// Adds up what the host has filled a block with.
    @DpaRpc
    static long sum(DpaThread thread, DpaAddr numbers, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += thread.load64(numbers.value() + (long) i * Long.BYTES);
        }
        return sum;
    }

    // A window

    /// Sets a word of external memory.
    @DpaRpc
    static long set(DpaThread thread, int window, int key, DpaAddr external) {
        if (!thread.configureWindow(window, key)) {
            return thread.errno();
        }
        thread.store64(thread.window(external.value()), 0xff);
        thread.windowWriteback();
        return 0;
    }

    // The outbox: a send, with its entry in DPA memory

    /// Sends a word and waits until it is sent.
    ///
    /// @return the opcode of the completion, 0 for a request
    @DpaRpc
    static long send(DpaThread thread, DpaAddr db, long word) {
        int sent = post(thread, db.value(), word);
        thread.memoryWriteback();
        return ring(thread, db.value(), sent);
    }

    /// As printed: nothing brings the entry to the NIC before the doorbell.
    @DpaRpc
    static long sendAsPrinted(DpaThread thread, DpaAddr db, long word) {
        int sent = post(thread, db.value(), word);
        return ring(thread, db.value(), sent);
    }

    /// Writes payload and entry.
    private static int post(DpaThread thread, long db, long word) {
        thread.configureOutbox((int) thread.load64(db + OUTBOX));
        int sent = (int) thread.load64(db + SENT);
        long buffer = thread.load64(db + BUFFERS) + (long) (ENTRIES + sent % ENTRIES) * LINE;
        thread.store64(buffer, word);
        writeEntry(thread, db, thread.load64(db + SEND_RING), sent, buffer);
        thread.store64(db + SENT, sent + 1);
        return sent + 1;
    }

    private static void writeEntry(DpaThread thread, long db, long ring, int sent, long buffer) {
        long entry = ring + (long) (sent % ENTRIES) * SendEntry.BYTES;
        int queue = (int) thread.load64(db + QUEUE);
        SendEntry.writeControl(
                thread, entry, sent, SendEntry.SEND, queue, 2, SendEntry.COMPLETE_ALWAYS);
        int key = (int) thread.load64(db + KEY);
        DataSegment.write(thread, entry + SendEntry.SEGMENT_BYTES, Long.BYTES, key, buffer);
    }

    /// Rings the doorbell and polls the completion queue.
    private static long ring(DpaThread thread, long db, int sent) {
        FlexioDev.ringSendDoorbell(thread, sent, (int) thread.load64(db + QUEUE));
        while (!hasCompletion(thread, db)) {
            // Not yet.
        }
        int opcode = CompletionEntry.opcode(thread, completion(thread, db));
        take(thread, db);
        thread.memoryWriteback();
        return opcode;
    }

    // A send whose entry is in external memory

    /// Sends a word by an entry that lies in external memory.
    @DpaRpc
    static long sendByWindow(DpaThread thread, DpaAddr db, int window, int key, DpaAddr ring) {
        long context = db.value();
        thread.configureOutbox((int) thread.load64(context + OUTBOX));
        if (!thread.configureWindow(window, key)) {
            return -thread.errno();
        }
        int sent = (int) thread.load64(context + SENT);
        long buffer = thread.load64(context + BUFFERS) + (long) ENTRIES * LINE;
        thread.store64(buffer, 77);
        thread.memoryWriteback();
        writeEntry(thread, context, thread.window(ring.value()), sent, buffer);
        thread.windowWriteback();
        thread.store64(context + SENT, sent + 1);
        return ring(thread, context, sent + 1);
    }

    // A receive queue: entry, then doorbell record

    /// Posts a receive entry for the next buffer.
    ///
    /// @return how many are posted
    @DpaRpc
    static long postReceive(DpaThread thread, DpaAddr db) {
        long context = db.value();
        int posted = (int) thread.load64(context + POSTED);
        long slot = posted % ENTRIES;
        DataSegment.write(
                thread,
                thread.load64(context + RECEIVE_RING) + slot * DataSegment.BYTES,
                LINE,
                (int) thread.load64(context + KEY),
                thread.load64(context + BUFFERS) + slot * LINE);
        thread.store64(context + POSTED, posted + 1);
        thread.memoryFence(Op.W, Op.W);
        DoorbellRecord.setProducerIndex(
                thread, thread.load64(context + RECEIVE_RECORD), posted + 1);
        thread.memoryWriteback();
        return posted + 1L;
    }

    // A flag in external memory, which somebody else sets

    /// Waits until a peer has set the flag.
    @DpaRpc
    static long awaitFlag(DpaThread thread, int window, int key, DpaAddr flag) {
        if (!thread.configureWindow(window, key)) {
            return -thread.errno();
        }
        long address = thread.window(flag.value());
        long value;
        while ((value = thread.load64(address)) == 0) {
            thread.windowReadInv();
        }
        return value;
    }

    /// Has the NIC write a word to external memory, and does not wait for it.
    @DpaRpc
    static long writeFlag(DpaThread thread, DpaAddr db, DpaAddr flag, int key, long word) {
        long context = db.value();
        thread.configureOutbox((int) thread.load64(context + OUTBOX));
        int sent = (int) thread.load64(context + SENT);
        long buffer = thread.load64(context + BUFFERS) + (long) (ENTRIES + sent % ENTRIES) * LINE;
        thread.store64(buffer, word);
        long entry = thread.load64(context + SEND_RING) + (long) (sent % ENTRIES) * SendEntry.BYTES;
        int queue = (int) thread.load64(context + QUEUE);
        SendEntry.writeControl(
                thread, entry, sent, SendEntry.RDMA_WRITE, queue, 3, SendEntry.COMPLETE_ON_ERROR);
        SendEntry.writeRemote(thread, entry + SendEntry.SEGMENT_BYTES, flag.value(), key);
        DataSegment.write(
                thread,
                entry + 2 * SendEntry.SEGMENT_BYTES,
                Long.BYTES,
                (int) thread.load64(context + KEY),
                buffer);
        thread.store64(context + SENT, sent + 1);
        thread.memoryWriteback();
        FlexioDev.ringSendDoorbell(thread, sent + 1, queue);
        return sent + 1L;
    }

    // Two threads: data, then flag

    /// Thread 1: stores data and then a flag.
    @DpaRpc
    static long publish(DpaThread thread, DpaAddr data, DpaAddr flag, long value) {
        thread.store64(data.value(), value);
        thread.memoryFence(Op.W, Op.W);
        thread.store64(flag.value(), 1);
        return 0;
    }

    /// Thread 2, an event handler: waits for the flag and takes the data. The argument is the
    /// address of four words: flag, data, what was found, and whether it was.
    @DpaGlobal
    static void consume(DpaThread thread, long words) {
        while (thread.load64(words) != 1) {
            // Not yet.
        }
        thread.store64(words + 16, thread.load64(words + 8));
        thread.atomic64(AtomicOp.ADD, words + 24, 1, AtomicOrder.RELEASE);
        thread.finish();
    }

    /// Waits until thread 2 has found the data.
    @DpaRpc
    static long consumed(DpaThread thread, DpaAddr words) {
        while (thread.atomic64(AtomicOp.ADD, words.value() + 24, 0, AtomicOrder.ACQUIRE) == 0) {
            // Not yet.
        }
        return thread.load64(words.value() + 16);
    }

    // Completions

    private static long completion(DpaThread thread, long db) {
        long index = thread.load64(db + TAKEN) & ((1 << LOG_COMPLETIONS) - 1);
        return thread.load64(db + COMPLETION_RING) + index * CompletionEntry.BYTES;
    }

    /// Whether the next entry has changed its owner to software.
    private static boolean hasCompletion(DpaThread thread, long db) {
        long taken = thread.load64(db + TAKEN);
        return CompletionEntry.isReady(thread, completion(thread, db), taken, LOG_COMPLETIONS);
    }

    /// Goes on to the next entry, and says so in the doorbell record.
    private static void take(DpaThread thread, long db) {
        long taken = thread.load64(db + TAKEN) + 1;
        thread.store64(db + TAKEN, taken);
        DoorbellRecord.setConsumerIndex(thread, thread.load64(db + COMPLETION_RECORD), (int) taken);
    }
}
