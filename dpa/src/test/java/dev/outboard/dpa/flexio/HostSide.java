package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.testkit.Eventually;

/// One side of [Echo] that the host drives itself: rings, doorbell records and buffers in its own
/// memory, no device code.
final class HostSide {
    private static final int LINE = 64;
    private static final int LOG_ENTRIES = 2;
    private static final int ENTRIES = 1 << LOG_ENTRIES;
    private static final int LOG_COMPLETIONS = 4;

    private static final long COMPLETION_RING = 0;
    private static final long SEND_RING = COMPLETION_RING + (LINE << LOG_COMPLETIONS);
    private static final long RECEIVE_RING = SEND_RING + (LINE << LOG_ENTRIES);
    private static final long CONSUMER = RECEIVE_RING + LINE;
    private static final long PRODUCER = CONSUMER + LINE;
    private static final long BUFFERS = PRODUCER + LINE;
    private static final long BYTES = BUFFERS + 2 * ENTRIES * LINE;

    final FlexioQp pair;
    private final FlexioProcess process;
    private final long base;
    private final int key;
    private long taken;
    private int sent;
    private int posted;

    HostSide(FlexioProcess process, ExternalKind kind) {
        this.process = process;
        FlexioBuffer memory = FlexioBuffer.create(process, "queues", kind, BYTES);
        base = memory.address().value();
        key = FlexioMkey.create(process.domain(), memory, 0, BYTES, Access.LOCAL_WRITE).number();
        FlexioCq completions =
                FlexioCq.create(
                        process,
                        FlexioCq.Attributes.of(
                                memory.address().plus(COMPLETION_RING),
                                LOG_COMPLETIONS,
                                memory.address().plus(CONSUMER)));
        pair =
                FlexioQp.create(
                        process,
                        new FlexioQp.Attributes(
                                new FlexioQp.Send(
                                        memory.address().plus(SEND_RING), LOG_ENTRIES, completions),
                                new FlexioQp.Receive(
                                        memory.address().plus(RECEIVE_RING),
                                        LOG_ENTRIES,
                                        memory.address().plus(PRODUCER),
                                        completions),
                                0));
        for (int i = 0; i < ENTRIES; i++) {
            process.onHost(this::postReceive);
        }
    }

    /// Sends a word, and waits until it is sent and has come back.
    ///
    /// @return what has come back
    long call(long word) {
        process.onHost(host -> postSend(host, word));
        pair.ring(sent);
        long answer = 0;
        for (int i = 0; i < 2; i++) {
            Eventually.until(() -> process.onHost(this::isReady));
            answer += process.onHost(this::take);
        }
        return answer;
    }

    private int postSend(MemoryAccess host, long word) {
        long source = base + BUFFERS + (long) (ENTRIES + sent % ENTRIES) * LINE;
        long entry = base + SEND_RING + (long) (sent % ENTRIES) * LINE;
        host.store64(source, word);
        SendEntry.writeControl(
                host, entry, sent, SendEntry.SEND, pair.number(), 2, SendEntry.COMPLETE_ALWAYS);
        DataSegment.write(host, entry + SendEntry.SEGMENT_BYTES, Long.BYTES, key, source);
        return ++sent;
    }

    private int postReceive(MemoryAccess host) {
        int slot = posted % ENTRIES;
        long entry = base + RECEIVE_RING + (long) slot * DataSegment.BYTES;
        DataSegment.write(host, entry, LINE, key, base + BUFFERS + (long) slot * LINE);
        DoorbellRecord.setProducerIndex(host, base + PRODUCER, ++posted);
        return posted;
    }

    private boolean isReady(MemoryAccess host) {
        return CompletionEntry.isReady(host, entry(), taken, LOG_COMPLETIONS);
    }

    /// Takes an entry.
    ///
    /// @return the word that has come, or 0 if it says that one was sent
    private long take(MemoryAccess host) {
        int opcode = CompletionEntry.opcode(host, entry());
        int slot = CompletionEntry.workCounter(host, entry()) % ENTRIES;
        taken++;
        DoorbellRecord.setConsumerIndex(host, base + CONSUMER, (int) taken);
        if (opcode == CompletionEntry.REQUEST) {
            return 0;
        }
        if (opcode != CompletionEntry.RECEIVED_SEND) {
            throw new IllegalStateException("completion with opcode %d".formatted(opcode));
        }
        long word = host.load64(base + BUFFERS + (long) slot * LINE);
        postReceive(host);
        return word;
    }

    private long entry() {
        return base + COMPLETION_RING + (taken & ((1 << LOG_COMPLETIONS) - 1)) * LINE;
    }
}
