package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/// A queue pair with all that device code needs for it, as a host sets it up: rings, doorbell
/// records and buffers in DPA memory, a key, an outbox, and the context by which the kernels of
/// [SeedKernels] find them.
final class SeedQueues {
    final FlexioQp pair;
    final DpaAddr context;
    final DpaAddr buffers;

    /// Makes them, with receive entries posted for all buffers.
    ///
    /// @param handler what completions activate
    /// @param sendRing where the send queue lies, if not in DPA memory
    SeedQueues(
            FlexioProcess process,
            Optional<FlexioEventHandler> handler,
            Optional<DpaAddr> sendRing) {
        FlexioHeap heap = process.heap();
        int bufferBytes = 2 * SeedKernels.ENTRIES * SeedKernels.LINE;
        buffers = heap.zeros(bufferBytes);
        FlexioMkey key =
                FlexioMkey.create(
                        process, process.domain(), buffers, bufferBytes, Access.LOCAL_WRITE);
        DpaAddr completionRing = heap.zeros(CompletionEntry.BYTES << SeedKernels.LOG_COMPLETIONS);
        DpaAddr completionRecord = heap.zeros(Long.BYTES);
        FlexioCq.Attributes queue =
                FlexioCq.Attributes.of(
                        completionRing, SeedKernels.LOG_COMPLETIONS, completionRecord);
        FlexioCq completions =
                FlexioCq.create(process, handler.map(queue::activating).orElse(queue));
        DpaAddr ring =
                sendRing.orElseGet(() -> heap.zeros(SendEntry.BYTES << SeedKernels.LOG_ENTRIES));
        DpaAddr receiveRing =
                heap.copyFromHost(
                        DataSegment.ring(
                                SeedKernels.ENTRIES,
                                SeedKernels.LINE,
                                key.number(),
                                buffers.value(),
                                SeedKernels.LINE));
        DpaAddr receiveRecord = heap.copyFromHost(new byte[] {0, 0, 0, SeedKernels.ENTRIES});
        pair =
                FlexioQp.create(
                        process,
                        new FlexioQp.Attributes(
                                new FlexioQp.Send(ring, SeedKernels.LOG_ENTRIES, completions),
                                new FlexioQp.Receive(
                                        receiveRing,
                                        SeedKernels.LOG_ENTRIES,
                                        receiveRecord,
                                        completions),
                                0));
        FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
        context =
                heap.copyFromHost(
                        ByteBuffer.allocate(SeedKernels.CONTEXT_BYTES)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putLong(SeedKernels.OUTBOX, outbox.number())
                                .putLong(SeedKernels.QUEUE, pair.number())
                                .putLong(SeedKernels.SEND_RING, ring.value())
                                .putLong(SeedKernels.RECEIVE_RING, receiveRing.value())
                                .putLong(SeedKernels.RECEIVE_RECORD, receiveRecord.value())
                                .putLong(SeedKernels.COMPLETIONS, completions.number())
                                .putLong(SeedKernels.COMPLETION_RING, completionRing.value())
                                .putLong(SeedKernels.COMPLETION_RECORD, completionRecord.value())
                                .putLong(SeedKernels.BUFFERS, buffers.value())
                                .putLong(SeedKernels.KEY, key.number())
                                .putLong(SeedKernels.POSTED, SeedKernels.ENTRIES)
                                .array());
    }
}
