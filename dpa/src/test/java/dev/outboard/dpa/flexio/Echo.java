package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
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

/// An event handler that sends back what it receives, from the buffer that it came in, and a
/// function for the host that sends to it and waits for what comes back. Each side keeps what it
/// needs in a context in DPA memory ([EchoSide] fills it).
@DpaProgram("echo")
final class Echo {
    static final int LOG_BUFFERS = 2;
    static final int BUFFERS = 1 << LOG_BUFFERS;
    static final int LOG_COMPLETIONS = 4;
    static final int LINE = 64;

    // Words of a context.
    static final int OUTBOX = 0;
    static final int COMPLETIONS = 8;
    static final int COMPLETION_RING = 16;
    static final int COMPLETION_RECORD = 24;
    static final int QUEUE = 32;
    static final int SEND_RING = 40;
    static final int RECEIVE_RING = 48;
    static final int RECEIVE_RECORD = 56;
    static final int KEY = 64;
    static final int BUFFER = 72;
    static final int TAKEN = 80;
    static final int SENT = 88;
    static final int POSTED = 96;
    static final int ECHOED = 104;
    static final int CONTEXT_BYTES = 128;

    private Echo() {}

    /// The handler.
    @DpaGlobal
    static void echo(DpaThread thread, long context) {
        thread.configureOutbox((int) thread.load64(context + OUTBOX));
        while (isReady(thread, context)) {
            long entry = entry(thread, context);
            int opcode = CompletionEntry.opcode(thread, entry);
            int counter = CompletionEntry.workCounter(thread, entry);
            int length = CompletionEntry.byteCount(thread, entry);
            take(thread, context);
            if (opcode == CompletionEntry.RECEIVED_SEND) {
                thread.store64(context + ECHOED, thread.load64(context + ECHOED) + 1);
                post(thread, context, buffer(thread, context, counter % BUFFERS), length);
            } else if (opcode == CompletionEntry.REQUEST) {
                repost(thread, context);
            } else {
                thread.error(200 + opcode);
            }
        }
        armAndReschedule(thread, context);
    }

    /// A handler that counts what it receives, and keeps the sum of it in the first word of its
    /// local storage.
    @DpaGlobal
    static void count(DpaThread thread, long context) {
        thread.configureOutbox((int) thread.load64(context + OUTBOX));
        while (isReady(thread, context)) {
            long entry = entry(thread, context);
            int opcode = CompletionEntry.opcode(thread, entry);
            int counter = CompletionEntry.workCounter(thread, entry);
            take(thread, context);
            if (opcode == CompletionEntry.RECEIVED_SEND) {
                long word = thread.load64(buffer(thread, context, counter % BUFFERS));
                long sum = thread.localStorage();
                thread.store64(sum, thread.load64(sum) + word);
                thread.store64(context + ECHOED, thread.load64(context + ECHOED) + 1);
                repost(thread, context);
            } else if (opcode != CompletionEntry.REQUEST) {
                thread.error(200 + opcode);
            }
        }
        armAndReschedule(thread, context);
    }

    /// A handler that counts its activations and takes nothing.
    @DpaGlobal
    static void note(DpaThread thread, long count) {
        thread.store64(count, thread.load64(count) + 1);
        thread.memoryWriteback();
        thread.reschedule();
    }

    /// A word.
    @DpaRpc
    static long look(DpaThread thread, DpaAddr word) {
        return thread.load64(word.value());
    }

    /// A handler that keeps its unit until a flag is set.
    @DpaGlobal
    static void spin(DpaThread thread, long flag) {
        while (thread.load64(flag) == 0) {
            // Not yet.
        }
        thread.finish();
    }

    /// Sends a word from each of the contexts whose addresses an array holds.
    @DpaRpc
    static long sendAll(DpaThread thread, DpaAddr contexts, int count, long word) {
        for (int i = 0; i < count; i++) {
            long context = thread.load64(contexts.value() + (long) i * Long.BYTES);
            send(thread, new DpaAddr(context), word + i);
        }
        return count;
    }

    /// Sends a message of one word and waits until it is sent and has come back.
    ///
    /// @return what has come back
    @DpaRpc
    static long call(DpaThread thread, DpaAddr side, long word) {
        send(thread, side, word);
        return receive(thread, side);
    }

    /// Sends a message of one word.
    @DpaRpc
    static long send(DpaThread thread, DpaAddr side, long word) {
        long context = side.value();
        thread.configureOutbox((int) thread.load64(context + OUTBOX));
        long source = buffer(thread, context, BUFFERS);
        thread.store64(source, word);
        post(thread, context, source, 8);
        return 0;
    }

    /// Waits until a message is sent and has come back.
    @DpaRpc
    static long receive(DpaThread thread, DpaAddr side) {
        long context = side.value();
        long answer = 0;
        for (int i = 0; i < 2; i++) {
            while (!isReady(thread, context)) {
                // Not yet.
            }
            long entry = entry(thread, context);
            int opcode = CompletionEntry.opcode(thread, entry);
            int counter = CompletionEntry.workCounter(thread, entry);
            take(thread, context);
            thread.memoryWriteback();
            if (opcode == CompletionEntry.RECEIVED_SEND) {
                answer = thread.load64(buffer(thread, context, counter % BUFFERS));
                repost(thread, context);
            } else if (opcode != CompletionEntry.REQUEST) {
                thread.error(200 + opcode);
            }
        }
        return answer;
    }

    /// Looks for what another process has: outboxes, windows and keys, and rings doorbells of all
    /// queues with numbers from `first` on.
    ///
    /// @return how many it could configure
    @DpaRpc
    static long guess(DpaThread thread, int outbox, int window, int first, int count) {
        long hits = 0;
        for (int number = first; number < first + count; number++) {
            hits += number != outbox && thread.configureOutbox(number) ? 1 : 0;
            hits += thread.configureWindow(window, number << 8) ? 1 : 0;
            hits += thread.configureWindow(number, number << 8) ? 1 : 0;
            thread.configureOutbox(outbox);
            thread.store64(AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(number, 1));
            thread.store64(AddressMap.OUTBOX + AddressMap.ARM_DOORBELL, Doorbell.arm(number, 0));
            thread.store64(AddressMap.OUTBOX + AddressMap.MSIX_DOORBELL, number);
            thread.store64(
                    AddressMap.OUTBOX + AddressMap.EVENT_QUEUE_ARM_DOORBELL,
                    Doorbell.eventQueue(number, 1));
        }
        return hits;
    }

    /// Rings the doorbell of some queue, through the outbox of the context.
    @DpaRpc
    static long ring(DpaThread thread, DpaAddr side, int queue) {
        thread.configureOutbox((int) thread.load64(side.value() + OUTBOX));
        thread.store64(AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(queue, 1));
        thread.store64(AddressMap.OUTBOX + AddressMap.ARM_DOORBELL, Doorbell.arm(queue, 0));
        return 1;
    }

    /// Rings the doorbell of some queue, through an outbox that is opened for another UAR.
    ///
    /// @return 1, or 0 if it cannot be opened
    @DpaRpc
    static long ringFor(DpaThread thread, int outbox, int uar, int queue, int index) {
        thread.resetErrno();
        if (!thread.configureOutbox(outbox, uar)) {
            return thread.errno() == 22 ? 0 : -1;
        }
        thread.store64(AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(queue, index));
        return 1;
    }

    /// Rings two doorbells, and opens the outbox for another UAR between them.
    @DpaRpc
    static long ringBoth(
            DpaThread thread, int outbox, int uar, int queue, int otherUar, int otherQueue) {
        return ringFor(thread, outbox, uar, queue, 1)
                + ringFor(thread, outbox, otherUar, otherQueue, 1);
    }

    /// The same through an outbox whose number nobody looks at.
    @DpaRpc
    static long ringFast(DpaThread thread, int outbox, int queue, int index) {
        thread.configureOutboxFast(outbox);
        thread.store64(AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(queue, index));
        return 1;
    }

    /// Writes the entry for a message of one word, and rings nothing.
    @DpaRpc
    static long prepare(DpaThread thread, DpaAddr side, long word) {
        long context = side.value();
        thread.configureOutbox((int) thread.load64(context + OUTBOX));
        long source = buffer(thread, context, BUFFERS);
        thread.store64(source, word);
        writeEntry(thread, context, source, 8);
        thread.memoryWriteback();
        return thread.load64(context + SENT);
    }

    /// Whether an outbox can be configured.
    @DpaRpc
    static long hasOutbox(DpaThread thread, int outbox) {
        return thread.configureOutbox(outbox) ? 1 : thread.errno() == 22 ? 0 : -1;
    }

    private static long buffer(DpaThread thread, long context, int index) {
        return thread.load64(context + BUFFER) + (long) index * LINE;
    }

    private static long entry(DpaThread thread, long context) {
        long index = thread.load64(context + TAKEN) & ((1 << LOG_COMPLETIONS) - 1);
        return thread.load64(context + COMPLETION_RING) + index * CompletionEntry.BYTES;
    }

    private static boolean isReady(DpaThread thread, long context) {
        long taken = thread.load64(context + TAKEN);
        return CompletionEntry.isReady(thread, entry(thread, context), taken, LOG_COMPLETIONS);
    }

    /// After all that it has taken.
    private static void armAndReschedule(DpaThread thread, long context) {
        long taken = thread.load64(context + TAKEN);
        int queue = (int) thread.load64(context + COMPLETIONS);
        thread.memoryWriteback();
        thread.store64(
                AddressMap.OUTBOX + AddressMap.ARM_DOORBELL, Doorbell.arm(queue, (int) taken));
        thread.reschedule();
    }

    private static void take(DpaThread thread, long context) {
        long taken = thread.load64(context + TAKEN) + 1;
        thread.store64(context + TAKEN, taken);
        long record = thread.load64(context + COMPLETION_RECORD);
        DoorbellRecord.setConsumerIndex(thread, record, (int) taken);
    }

    private static void post(DpaThread thread, long context, long address, int length) {
        writeEntry(thread, context, address, length);
        int queue = (int) thread.load64(context + QUEUE);
        int sent = (int) thread.load64(context + SENT);
        thread.memoryWriteback();
        thread.store64(AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(queue, sent));
    }

    private static void writeEntry(DpaThread thread, long context, long address, int length) {
        int sent = (int) thread.load64(context + SENT);
        int queue = (int) thread.load64(context + QUEUE);
        int key = (int) thread.load64(context + KEY);
        long entry = thread.load64(context + SEND_RING) + (long) (sent % BUFFERS) * SendEntry.BYTES;
        SendEntry.writeControl(
                thread, entry, sent, SendEntry.SEND, queue, 2, SendEntry.COMPLETE_ALWAYS);
        DataSegment.write(thread, entry + SendEntry.SEGMENT_BYTES, length, key, address);
        thread.store64(context + SENT, sent + 1);
    }

    /// Gives the oldest buffer back to the NIC.
    private static void repost(DpaThread thread, long context) {
        int posted = (int) thread.load64(context + POSTED);
        int key = (int) thread.load64(context + KEY);
        long entry =
                thread.load64(context + RECEIVE_RING)
                        + (long) (posted % BUFFERS) * DataSegment.BYTES;
        DataSegment.write(thread, entry, LINE, key, buffer(thread, context, posted % BUFFERS));
        thread.store64(context + POSTED, posted + 1);
        thread.memoryFence(Op.W, Op.W);
        DoorbellRecord.setProducerIndex(
                thread, thread.load64(context + RECEIVE_RECORD), posted + 1);
        thread.memoryWriteback();
    }
}
