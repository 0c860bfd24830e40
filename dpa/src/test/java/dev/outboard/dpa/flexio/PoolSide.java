package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.testkit.Eventually;
import java.util.ArrayList;
import java.util.List;

/// Queue pairs that share a pool of receive entries, all of it in memory of the host, which drives
/// them itself.
final class PoolSide {
    static final int PAIRS = 4;

    private static final int LINE = 64;
    private static final int LOG_ENTRIES = 2;
    private static final int ENTRIES = 1 << LOG_ENTRIES;
    private static final int LOG_COMPLETIONS = 4;
    private static final long QUEUE_BYTES = (LINE << LOG_COMPLETIONS) + LINE;

    private static final long RECEIVED = 0;
    private static final long SENT = RECEIVED + QUEUE_BYTES;
    private static final long POOL = SENT + QUEUE_BYTES;
    private static final long PRODUCER = POOL + LINE;
    private static final long BUFFERS = PRODUCER + LINE;
    private static final long SOURCES = BUFFERS + (long) ENTRIES * LINE;
    private static final long SEND_RINGS = SOURCES + (long) PAIRS * LINE;
    private static final long BYTES = SEND_RINGS + (long) PAIRS * ENTRIES * LINE;

    final List<FlexioQp> pairs = new ArrayList<>();
    final FlexioRmp pool;
    private final FlexioProcess process;
    private final long base;
    private final int key;
    private final Queue received;
    private final Queue sent;
    private final int[] posts = new int[PAIRS];
    private int posted;

    /// What a completion of a receive says.
    record Received(int pair, int opcode, int counter, long word) {}

    /// A completion queue.
    private final class Queue {
        private final long at;
        private final FlexioCq made;
        private long taken;

        Queue(FlexioBuffer memory, long offset) {
            at = memory.address().value() + offset;
            made =
                    FlexioCq.create(
                            process,
                            FlexioCq.Attributes.of(
                                    memory.address().plus(offset),
                                    LOG_COMPLETIONS,
                                    memory.address().plus(offset + QUEUE_BYTES - LINE)));
        }

        long entry() {
            return at + (taken & ((1 << LOG_COMPLETIONS) - 1)) * LINE;
        }

        boolean isReady() {
            return process.onHost(
                    host -> CompletionEntry.isReady(host, entry(), taken, LOG_COMPLETIONS));
        }

        void free(MemoryAccess host) {
            DoorbellRecord.setConsumerIndex(host, at + QUEUE_BYTES - LINE, (int) ++taken);
        }
    }

    PoolSide(FlexioProcess process) {
        this.process = process;
        FlexioBuffer memory = FlexioBuffer.create(process, "queues", ExternalKind.HOST, BYTES);
        base = memory.address().value();
        key = FlexioMkey.create(process.domain(), memory, 0, BYTES, Access.LOCAL_WRITE).number();
        received = new Queue(memory, RECEIVED);
        sent = new Queue(memory, SENT);
        pool =
                FlexioRmp.create(
                        process,
                        memory.address().plus(POOL),
                        LOG_ENTRIES,
                        memory.address().plus(PRODUCER));
        for (int i = 0; i < PAIRS; i++) {
            FlexioQp.Send send =
                    new FlexioQp.Send(
                            memory.address().plus(SEND_RINGS + (long) i * ENTRIES * LINE),
                            LOG_ENTRIES,
                            sent.made);
            pairs.add(FlexioQp.create(process, send, pool, received.made, i, process.uar()));
        }
    }

    /// Posts a receive to the pool.
    void post() {
        post(key);
    }

    /// Posts one with a key that does not exist.
    void postBad() {
        post(0);
    }

    private void post(int keyOfEntry) {
        process.onHost(host -> {
            int slot = posted % ENTRIES;
            long entry = base + POOL + (long) slot * DataSegment.BYTES;
            long buffer = base + BUFFERS + (long) slot * LINE;
            DataSegment.write(host, entry, LINE, keyOfEntry, buffer);
            DoorbellRecord.setProducerIndex(host, base + PRODUCER, ++posted);
            return posted;
        });
    }

    /// A pair sends a word.
    void send(int pair, long word) {
        process.onHost(host -> {
            int post = posts[pair];
            long source = base + SOURCES + (long) pair * LINE;
            long entry = base + SEND_RINGS + (long) (pair * ENTRIES + post % ENTRIES) * LINE;
            int number = pairs.get(pair).number();
            host.store64(source, word);
            SendEntry.writeControl(
                    host, entry, post, SendEntry.SEND, number, 2, SendEntry.COMPLETE_ALWAYS);
            DataSegment.write(host, entry + SendEntry.SEGMENT_BYTES, Long.BYTES, key, source);
            return ++posts[pair];
        });
        pairs.get(pair).ring(posts[pair]);
    }

    boolean hasReceived() {
        return received.isReady();
    }

    /// What comes next, which may take a while.
    Received take() {
        Eventually.until(received::isReady);
        return process.onHost(host -> {
            int counter = CompletionEntry.workCounter(host, received.entry());
            Received next =
                    new Received(
                            CompletionEntry.userIndex(host, received.entry()),
                            CompletionEntry.opcode(host, received.entry()),
                            counter,
                            host.load64(base + BUFFERS + (long) (counter % ENTRIES) * LINE));
            received.free(host);
            return next;
        });
    }

    /// Waits for the end of a send.
    ///
    /// @return the opcode of its completion
    int sent() {
        Eventually.until(sent::isReady);
        return process.onHost(host -> {
            int opcode = CompletionEntry.opcode(host, sent.entry());
            sent.free(host);
            return opcode;
        });
    }
}
