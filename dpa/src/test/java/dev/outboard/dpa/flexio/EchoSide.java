package dev.outboard.dpa.flexio;

import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/// One side of [Echo], as its host sets it up: queues, buffers, a receive entry for each of the
/// buffers, and the context that device code finds them by.
final class EchoSide {
    final DpaAddr completionRing;
    final FlexioCq completions;
    final FlexioQp pair;
    final FlexioMkey key;
    final FlexioOutbox outbox;
    final DpaAddr context;

    EchoSide(FlexioProcess process, Optional<FlexioEventHandler> handler) {
        this(process, handler, process.uar());
    }

    /// One whose queues are of that UAR.
    EchoSide(FlexioProcess process, Optional<FlexioEventHandler> handler, FlexioUar uar) {
        FlexioHeap heap = process.heap();
        completionRing = heap.zeros(CompletionEntry.BYTES << Echo.LOG_COMPLETIONS);
        DpaAddr completionRecord = heap.zeros(Echo.LINE);
        DpaAddr sendRing = heap.zeros(SendEntry.BYTES << Echo.LOG_BUFFERS);
        DpaAddr receiveRecord = heap.copyFromHost(new byte[] {0, 0, 0, Echo.BUFFERS, 0, 0, 0, 0});
        DpaAddr buffers = heap.zeros(2 * Echo.BUFFERS * Echo.LINE);
        key =
                FlexioMkey.create(
                        process,
                        process.domain(),
                        buffers,
                        2 * Echo.BUFFERS * Echo.LINE,
                        Access.LOCAL_WRITE);
        DpaAddr receiveRing =
                heap.copyFromHost(
                        DataSegment.ring(
                                Echo.BUFFERS, Echo.LINE, key.number(), buffers.value(), Echo.LINE));
        FlexioCq.Attributes queue =
                FlexioCq.Attributes.of(completionRing, Echo.LOG_COMPLETIONS, completionRecord)
                        .through(uar);
        completions = FlexioCq.create(process, handler.map(queue::activating).orElse(queue));
        pair =
                FlexioQp.create(
                        process,
                        new FlexioQp.Attributes(
                                new FlexioQp.Send(sendRing, Echo.LOG_BUFFERS, completions),
                                new FlexioQp.Receive(
                                        receiveRing, Echo.LOG_BUFFERS, receiveRecord, completions),
                                0,
                                Optional.of(uar),
                                Optional.empty()));
        outbox = FlexioOutbox.create(process, uar);
        ByteBuffer words =
                ByteBuffer.allocate(Echo.CONTEXT_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(Echo.OUTBOX, outbox.number())
                        .putLong(Echo.COMPLETIONS, completions.number())
                        .putLong(Echo.COMPLETION_RING, completionRing.value())
                        .putLong(Echo.COMPLETION_RECORD, completionRecord.value())
                        .putLong(Echo.QUEUE, pair.number())
                        .putLong(Echo.SEND_RING, sendRing.value())
                        .putLong(Echo.RECEIVE_RING, receiveRing.value())
                        .putLong(Echo.RECEIVE_RECORD, receiveRecord.value())
                        .putLong(Echo.KEY, key.number())
                        .putLong(Echo.BUFFER, buffers.value())
                        .putLong(Echo.POSTED, Echo.BUFFERS);
        context = heap.copyFromHost(words.array());
    }

    /// A word, as device code loads it.
    static byte[] bytes(long word) {
        return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(word).array();
    }

    /// What the NIC sees of a word of the context.
    static long word(FlexioProcess process, EchoSide side, int offset) {
        byte[] bytes = process.heap().copyOut(side.context.plus(offset), Long.BYTES);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }
}
