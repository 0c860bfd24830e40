package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioObject;
import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;

/// What a store has for one client: a queue pair and its handler, with rings, doorbell records and
/// buffers in DPA memory. All of it goes when it is closed.
final class StoreConnection implements AutoCloseable {
    private final FlexioProcess process;
    private final FlexioHeap heap;

    /// The latest first.
    private final Deque<Runnable> parts = new ArrayDeque<>();

    /// Nothing yet.
    StoreConnection(FlexioProcess process) {
        this.process = process;
        heap = process.heap();
    }

    /// Makes all of it, with receive entries posted for all buffers.
    ///
    /// @return what is to be connected with the client
    FlexioQp open(DpaAddr table) {
        FlexioEventHandler handler =
                add(
                        FlexioEventHandler.create(
                                process,
                                StoreKernelsStub.serve,
                                FlexioEventHandler.Attributes.DEFAULT));
        int bufferBytes = 2 * StoreKernels.DEPTH * StoreKernels.LINE;
        DpaAddr buffers = zeros(bufferBytes);
        FlexioMkey key =
                add(
                        FlexioMkey.create(
                                process,
                                process.domain(),
                                buffers,
                                bufferBytes,
                                dev.outboard.dpa.nic.Access.LOCAL_WRITE));
        DpaAddr completionRing = zeros(CompletionEntry.BYTES << StoreKernels.LOG_COMPLETIONS);
        DpaAddr completionRecord = zeros(Long.BYTES);
        DpaAddr sendRing = zeros(SendEntry.BYTES << StoreKernels.LOG_DEPTH);
        DpaAddr receiveRing =
                copy(
                        DataSegment.ring(
                                StoreKernels.DEPTH,
                                StoreKernels.LINE,
                                key.number(),
                                buffers.value(),
                                StoreKernels.LINE));
        DpaAddr receiveRecord = copy(new byte[] {0, 0, 0, StoreKernels.DEPTH});
        FlexioCq completions =
                add(
                        FlexioCq.create(
                                process,
                                FlexioCq.Attributes.of(
                                                completionRing,
                                                StoreKernels.LOG_COMPLETIONS,
                                                completionRecord)
                                        .activating(handler)));
        FlexioQp pair =
                add(
                        FlexioQp.create(
                                process,
                                new FlexioQp.Attributes(
                                        new FlexioQp.Send(
                                                sendRing, StoreKernels.LOG_DEPTH, completions),
                                        new FlexioQp.Receive(
                                                receiveRing,
                                                StoreKernels.LOG_DEPTH,
                                                receiveRecord,
                                                completions),
                                        0)));
        FlexioOutbox outbox = add(FlexioOutbox.create(process, process.uar()));
        DpaAddr context =
                copy(
                        ByteBuffer.allocate(StoreKernels.CONTEXT_BYTES)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putLong(StoreKernels.OUTBOX, outbox.number())
                                .putLong(StoreKernels.QUEUE, pair.number())
                                .putLong(StoreKernels.SEND_RING, sendRing.value())
                                .putLong(StoreKernels.RECEIVE_RECORD, receiveRecord.value())
                                .putLong(StoreKernels.COMPLETIONS, completions.number())
                                .putLong(StoreKernels.COMPLETION_RING, completionRing.value())
                                .putLong(StoreKernels.COMPLETION_RECORD, completionRecord.value())
                                .putLong(StoreKernels.BUFFERS, buffers.value())
                                .putLong(StoreKernels.KEY, key.number())
                                .putLong(StoreKernels.TABLE, table.value())
                                .array());
        handler.run(context.value());
        return pair;
    }

    private <T extends FlexioObject> T add(T part) {
        parts.push(part::close);
        return part;
    }

    private DpaAddr zeros(int lengthBytes) {
        return copy(new byte[lengthBytes]);
    }

    private DpaAddr copy(byte... bytes) {
        DpaAddr block = heap.copyFromHost(bytes);
        parts.push(() -> heap.free(block));
        return block;
    }

    @Override
    public void close() {
        while (!parts.isEmpty()) {
            parts.pop().run();
        }
    }
}
