package dev.outboard.dpa.doca;

import dev.outboard.doca.spi.RdmaQueues;
import dev.outboard.dpa.doca.dev.ConnectionDescriptor;
import dev.outboard.dpa.doca.dev.RdmaDescriptor;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairControl;
import dev.outboard.fabric.QueuePairState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// DPA-RD-1: an RDMA context as the DPA knows it: a queue pair for each connection, in whose rings
/// threads of the DPA write, and a descriptor in DPA memory, whose address is the handle.
final class DpaRdma implements RdmaQueues {
    private static final int LINE = 64;

    private final FlexioProcess process;
    private final Consumer<DpaRdma> closing;
    private final int logSends;
    private final int logReceives;
    private final List<DpaAddr> blocks = new ArrayList<>();
    private final DpaAddr descriptor;
    private final FlexioCq completions;
    private final DpaAddr receiveRing;
    private final DpaAddr receiveRecord;
    private final FlexioMkey resultKey;

    /// @param closing is told when it is closed
    DpaRdma(FlexioProcess process, Attributes attributes, Consumer<DpaRdma> closing) {
        this.process = process;
        this.closing = closing;
        logSends = log(attributes.sends());
        logReceives = log(attributes.receives());
        int logCompletions = log(attributes.connections()) + logSends;
        DpaAddr ring = block(CompletionEntry.BYTES << logCompletions);
        DpaAddr record = block(LINE);
        completions =
                FlexioCq.create(process, FlexioCq.Attributes.of(ring, logCompletions, record));
        receiveRing = block(DataSegment.BYTES << logReceives);
        receiveRecord = block(LINE);
        DpaAddr result = block(LINE);
        resultKey =
                FlexioMkey.create(
                        process, process.domain(), result, Long.BYTES, Access.LOCAL_WRITE);
        descriptor =
                block(RdmaDescriptor.BYTES + attributes.connections() * ConnectionDescriptor.BYTES);
        process.heap()
                .copyIn(
                        descriptor,
                        ByteBuffer.allocate(RdmaDescriptor.BYTES)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putLong(RdmaDescriptor.ALIVE, RdmaDescriptor.YES)
                                .putLong(RdmaDescriptor.CONNECTIONS, attributes.connections())
                                .putLong(RdmaDescriptor.LOG_SENDS, logSends)
                                .putLong(RdmaDescriptor.COMPLETION_RING, ring.value())
                                .putLong(RdmaDescriptor.COMPLETION_RECORD, record.value())
                                .putLong(RdmaDescriptor.LOG_COMPLETIONS, logCompletions)
                                .putLong(RdmaDescriptor.RECEIVE_RING, receiveRing.value())
                                .putLong(RdmaDescriptor.RECEIVE_RECORD, receiveRecord.value())
                                .putLong(RdmaDescriptor.LOG_RECEIVES, logReceives)
                                .putLong(RdmaDescriptor.RESULT, result.value())
                                .putLong(RdmaDescriptor.RESULT_KEY, resultKey.number())
                                .array());
    }

    private static int log(int size) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
    }

    private DpaAddr block(int lengthBytes) {
        DpaAddr made = process.heap().zeros(lengthBytes);
        blocks.add(made);
        return made;
    }

    @Override
    public long handle() {
        return descriptor.value();
    }

    @Override
    public QueuePairControl queuePair(int connection) {
        return DocaErrors.of(() -> new Connection(connection));
    }

    @Override
    public void close() {
        closing.accept(this);
        if (process.errorState().isRunning()) {
            DocaErrors.of(() -> {
                process.heap().fill(descriptor, Long.BYTES, (byte) 0);
                completions.close();
                resultKey.close();
                FlexioHeap heap = process.heap();
                blocks.forEach(heap::free);
            });
        }
    }

    /// The queue pair of a connection.
    private final class Connection implements QueuePairControl {
        private final DpaAddr ring;
        private final DpaAddr entry;
        private final FlexioQp pair;
        private boolean isClosed;

        private Connection(int number) {
            FlexioHeap heap = process.heap();
            ring = heap.zeros(SendEntry.BYTES << logSends);
            entry = new DpaAddr(ConnectionDescriptor.of(descriptor.value(), number));
            pair =
                    FlexioQp.create(
                            process,
                            new FlexioQp.Attributes(
                                    new FlexioQp.Send(ring, logSends, completions),
                                    new FlexioQp.Receive(
                                            receiveRing, logReceives, receiveRecord, completions),
                                    number));
            heap.copyIn(
                    entry,
                    ByteBuffer.allocate(ConnectionDescriptor.BYTES)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putLong(ConnectionDescriptor.QUEUE, pair.number())
                            .putLong(ConnectionDescriptor.SEND_RING, ring.value())
                            .array());
        }

        @Override
        public int number() {
            return pair.number();
        }

        @Override
        public QueuePairState state() {
            return isClosed || !process.errorState().isRunning()
                    ? QueuePairState.ERROR
                    : DocaErrors.of(pair::state);
        }

        @Override
        public void modify(QueuePairChange change) {
            DocaErrors.of(() -> pair.modify(change));
        }

        @Override
        public void close() {
            if (!isClosed && process.errorState().isRunning()) {
                DocaErrors.of(() -> {
                    process.heap().fill(entry, ConnectionDescriptor.BYTES, (byte) 0);
                    pair.close();
                    process.heap().free(ring);
                });
            }
            isClosed = true;
        }
    }
}
