package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.nic.CompletionQueue.Attributes;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;

/// A handler that sends back what it receives, from the buffer that it came in, and a thread that
/// sends to it and looks at what comes back. One completion queue of the handler has both: a
/// received message is sent, and a sent one gives its buffer back.
class EchoProgram implements DpaProgram {
    static final int ROUNDS = 20;
    private static final int LOG_BUFFERS = 2;
    private static final int BUFFERS = 1 << LOG_BUFFERS;
    private static final int LOG_COMPLETIONS = 4;
    private static final int LINE = 64;
    private static final int MESSAGE_BYTES = 32;

    /// A message of this length ends the handler.
    private static final int STOP_BYTES = 8;

    private final Side server = new Side();
    private final Side client = new Side();
    private int outbox;
    private long echoed;

    /// One side of the connection: where its queues, its buffers and its context lie.
    private static final class Side {
        long sendRing;
        long receiveRing;
        long receiveRecord;
        long completionRing;
        long completionRecord;

        /// First those for receiving.
        long buffers;

        /// Words of 8 bytes: completions taken, entries sent, entries posted.
        long context;

        int key;
        int queue;
        int completions;

        long buffer(long index) {
            return buffers + index * LINE;
        }

        long completion(long index) {
            return completionRing + (index & ((1 << LOG_COMPLETIONS) - 1)) * CompletionEntry.BYTES;
        }
    }

    @Override
    public void setUp(DpaProcess process) {
        NicEngine nic = new NicEngine(process, "NIC", LINE, event -> {});
        outbox = process.createOutbox();
        allocate(process, server);
        allocate(process, client);
        echoed = zeros(process, LINE);
        ThreadHandle echo = process.thread("echo", this::echo, ThreadAttributes.HANDLER);
        ThreadHandle sender = process.thread("client", this::send);
        QueuePair one = connect(process, nic, server, echo, true);
        one.connect(connect(process, nic, client, sender, false));
    }

    private static long zeros(DpaProcess process, int lengthBytes) {
        long address = process.heap().allocate(lengthBytes);
        process.write(address, new byte[lengthBytes]);
        return address;
    }

    private static void allocate(DpaProcess process, Side side) {
        side.sendRing = zeros(process, BUFFERS * SendEntry.BYTES);
        side.receiveRing = zeros(process, BUFFERS * DataSegment.BYTES);
        side.receiveRecord = zeros(process, LINE);
        side.completionRing = zeros(process, CompletionEntry.BYTES << LOG_COMPLETIONS);
        side.completionRecord = zeros(process, LINE);
        side.buffers = zeros(process, 2 * BUFFERS * LINE);
        side.context = zeros(process, LINE);
    }

    /// Makes the queues of a side. The host has posted a receive entry for each buffer.
    private static QueuePair connect(
            DpaProcess process, NicEngine nic, Side side, ThreadHandle thread, boolean handler) {
        Attributes plain =
                Attributes.of(side.completionRing, LOG_COMPLETIONS, side.completionRecord);
        CompletionQueue completions =
                nic.completionQueue(handler ? plain.activating(thread) : plain);
        QueuePair pair =
                nic.queuePair(
                        new QueuePair.Send(side.sendRing, LOG_BUFFERS, completions),
                        new QueuePair.Receive(
                                side.receiveRing, LOG_BUFFERS, side.receiveRecord, completions),
                        new QueuePair.User(thread, 0));
        side.key = nic.register(side.buffers, 2 * BUFFERS * LINE, Access.LOCAL_WRITE).number();
        side.queue = pair.number();
        side.completions = completions.number();
        HostMemory host = new HostMemory(process);
        for (int i = 0; i < BUFFERS; i++) {
            long entry = side.receiveRing + (long) i * DataSegment.BYTES;
            DataSegment.write(host, entry, LINE, side.key, side.buffer(i));
        }
        DoorbellRecord.setProducerIndex(host, side.receiveRecord, BUFFERS);
        process.write64(side.context + 16, BUFFERS);
        return pair;
    }

    // The handler

    private void echo(DpaThread thread) {
        thread.configureOutbox(outbox);
        long index = thread.load64(server.context);
        while (CompletionEntry.isReady(thread, server.completion(index), index, LOG_COMPLETIONS)) {
            long entry = server.completion(index);
            int opcode = CompletionEntry.opcode(thread, entry);
            int counter = CompletionEntry.workCounter(thread, entry);
            int length = CompletionEntry.byteCount(thread, entry);
            index++;
            thread.store64(server.context, index);
            DoorbellRecord.setConsumerIndex(thread, server.completionRecord, (int) index);
            if (opcode == CompletionEntry.RECEIVED_SEND && length == STOP_BYTES) {
                thread.memoryWriteback();
                thread.finish();
            } else if (opcode == CompletionEntry.RECEIVED_SEND) {
                thread.store64(echoed, thread.load64(echoed) + 1);
                post(thread, server, server.buffer(counter % BUFFERS), length);
            } else if (opcode == CompletionEntry.REQUEST) {
                repost(thread, server);
            } else {
                throw new AssertionError("The echo failed with opcode " + opcode);
            }
        }
        arm(thread, index);
        thread.reschedule();
    }

    void arm(DpaThread thread, long index) {
        thread.store64(
                AddressMap.OUTBOX + AddressMap.ARM_DOORBELL,
                Doorbell.arm(server.completions, (int) index));
    }

    /// Sends a buffer.
    private void post(DpaThread thread, Side side, long address, int length) {
        int sent = (int) thread.load64(side.context + 8);
        long entry = side.sendRing + (long) (sent % BUFFERS) * SendEntry.BYTES;
        SendEntry.writeControl(
                thread, entry, sent, SendEntry.SEND, side.queue, 2, SendEntry.COMPLETE_ALWAYS);
        DataSegment.write(thread, entry + SendEntry.SEGMENT_BYTES, length, side.key, address);
        thread.store64(side.context + 8, sent + 1);
        beforeRing(thread);
        thread.store64(
                AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(side.queue, sent + 1));
    }

    void beforeRing(DpaThread thread) {
        thread.memoryWriteback();
    }

    /// Gives the oldest buffer back to the NIC.
    private void repost(DpaThread thread, Side side) {
        int posted = (int) thread.load64(side.context + 16);
        long entry = side.receiveRing + (long) (posted % BUFFERS) * DataSegment.BYTES;
        DataSegment.write(thread, entry, LINE, side.key, side.buffer(posted % BUFFERS));
        thread.store64(side.context + 16, posted + 1);
        beforeRecord(thread);
        DoorbellRecord.setProducerIndex(thread, side.receiveRecord, posted + 1);
        thread.memoryWriteback();
    }

    void beforeRecord(DpaThread thread) {
        thread.memoryFence(Op.W, Op.W);
    }

    // Its client

    /// Sends two messages at a time and waits until both are sent and both have come back.
    private void send(DpaThread thread) {
        thread.configureOutbox(outbox);
        for (int round = 0; round < ROUNDS; round++) {
            for (int message = 2 * round; message < 2 * round + 2; message++) {
                long source = client.buffer(BUFFERS) + (long) (message % 2) * LINE;
                for (int i = 0; i < MESSAGE_BYTES; i += 8) {
                    thread.store64(source + i, word(message, i));
                }
                post(thread, client, source, MESSAGE_BYTES);
            }
            for (int i = 0; i < 4; i++) {
                take(thread);
            }
        }
        post(thread, client, client.buffer(BUFFERS), STOP_BYTES);
        take(thread);
    }

    private static long word(int message, int at) {
        return 1000L * message + at;
    }

    private void take(DpaThread thread) {
        long index = thread.load64(client.context);
        long entry = client.completion(index);
        while (!CompletionEntry.isReady(thread, entry, index, LOG_COMPLETIONS)) {
            // Not yet.
        }
        int opcode = CompletionEntry.opcode(thread, entry);
        int counter = CompletionEntry.workCounter(thread, entry);
        thread.store64(client.context, index + 1);
        DoorbellRecord.setConsumerIndex(thread, client.completionRecord, (int) index + 1);
        thread.memoryWriteback();
        if (opcode == CompletionEntry.RECEIVED_SEND) {
            long buffer = client.buffer(counter % BUFFERS);
            for (int i = 0; i < MESSAGE_BYTES; i += 8) {
                if (thread.load64(buffer + i) != word(counter, i)) {
                    throw new AssertionError("Message " + counter + " has changed");
                }
            }
            repost(thread, client);
        } else if (opcode != CompletionEntry.REQUEST) {
            throw new AssertionError("The client failed with opcode " + opcode);
        }
    }

    /// How many messages the handler has sent back.
    long echoed(DpaProcess process) {
        return process.read64(echoed);
    }

    /// Forgets to write the entry back before it rings.
    static final class Unwritten extends EchoProgram {
        @Override
        void beforeRing(DpaThread thread) {}
    }

    /// Forgets that the record comes after the entry.
    static final class Unfenced extends EchoProgram {
        @Override
        void beforeRecord(DpaThread thread) {}
    }

    /// Forgets to arm.
    static final class Unarmed extends EchoProgram {
        @Override
        void arm(DpaThread thread, long index) {}
    }
}
