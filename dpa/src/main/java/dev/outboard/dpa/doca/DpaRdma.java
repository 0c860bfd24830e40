package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.spi.CompletionContext;
import dev.outboard.doca.spi.RdmaQueues;
import dev.outboard.dpa.doca.dev.ConnectionDescriptor;
import dev.outboard.dpa.doca.dev.RdmaDescriptor;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.flexio.FlexioRmp;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairControl;
import dev.outboard.fabric.QueuePairState;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// DPA-RD-1: an RDMA context as the DPA knows it: a queue pair for each connection, in whose rings
/// threads of the DPA write, one pool of receives for all of them, and a descriptor in DPA memory,
/// whose address is the handle.
final class DpaRdma implements RdmaQueues {
    private final Lifecycle lifecycle;
    private final Loaded loaded;
    private final FlexioProcess process;
    private final Optional<DocaDpaCompletion> told;
    private final int logSends;
    private final int logReceives;
    private @Nullable Made made;

    /// What it has on the DPA.
    private record Made(
            DpaAddr descriptor,
            FlexioCq completions,
            FlexioRmp receives,
            Optional<Demands> demands) {}

    DpaRdma(DocaDpa dpa, Attributes attributes) {
        if (attributes.onDemand().isPresent() && !dpa.isOnFabric()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "queue pairs of the DPA are simulated; dynamically connected transport needs a device of the fabric that carries them");
        }
        lifecycle = new Lifecycle(dpa, "RDMA context of the DPA");
        loaded = dpa.loaded();
        process = loaded.process();
        told = attributes.completions().map(DpaRdma::own);
        logSends = log(attributes.sends());
        logReceives = log(attributes.receives());
        Optional<FlexioCq> given = told.map(one -> one.attach(dpa));
        try {
            lifecycle.start(holdings -> make(holdings, attributes, given));
        } finally {
            if (!lifecycle.isStarted()) {
                told.ifPresent(DocaDpaCompletion::detach);
            }
        }
    }

    /// Its environment is a DPA.
    private static DocaDpaCompletion own(CompletionContext context) {
        return (DocaDpaCompletion) context;
    }

    private static int log(int size) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
    }

    private void make(Holdings holdings, Attributes attributes, Optional<FlexioCq> given) {
        int connections = attributes.connections();
        Optional<OnDemand> onDemand = attributes.onDemand();
        int places = connections + onDemand.map(OnDemand::accepted).orElse(0);
        ByteBuffer words =
                ByteBuffer.allocate(RdmaDescriptor.BYTES + places * ConnectionDescriptor.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(RdmaDescriptor.ALIVE, RdmaDescriptor.YES)
                        .putLong(RdmaDescriptor.CONNECTIONS, connections)
                        .putLong(RdmaDescriptor.LOG_SENDS, logSends)
                        .putLong(RdmaDescriptor.LOG_RECEIVES, logReceives);
        int pairs = onDemand.map(OnDemand::pairs).orElse(connections);
        FlexioCq completions = given.orElseGet(() -> own(holdings, log(pairs), words));
        Optional<Demands> demands = onDemand.map(wanted -> new Demands(holdings, wanted.demand()));
        demands.ifPresent(asking ->
                words.putLong(RdmaDescriptor.PAIRS, pairs)
                        .putLong(RdmaDescriptor.HOST_BELL, asking.bell()));
        DpaAddr receiveRing = holdings.zeros(DataSegment.BYTES << logReceives);
        DpaAddr receiveRecord = holdings.line();
        FlexioRmp receives =
                holdings.keep(
                        FlexioRmp.create(
                                process, loaded.domain(), receiveRing, logReceives, receiveRecord));
        DpaAddr result = holdings.line();
        FlexioMkey key =
                holdings.keep(
                        FlexioMkey.create(
                                process, loaded.domain(), result, Long.BYTES, Access.LOCAL_WRITE));
        words.putLong(RdmaDescriptor.RECEIVE_RING, receiveRing.value())
                .putLong(RdmaDescriptor.RECEIVE_RECORD, receiveRecord.value())
                .putLong(RdmaDescriptor.RESULT, result.value())
                .putLong(RdmaDescriptor.RESULT_KEY, key.number())
                .putLong(RdmaDescriptor.FUNCTION, loaded.handle());
        DpaAddr descriptor = holdings.block(words.array());
        made = new Made(descriptor, completions, receives, demands);
        demands.ifPresent(asking -> asking.start(descriptor));
    }

    /// Completions that device calls take.
    private FlexioCq own(Holdings holdings, int logConnections, ByteBuffer words) {
        int logDepth = logConnections + logSends;
        DpaAddr ring = holdings.zeros(CompletionEntry.BYTES << logDepth);
        DpaAddr record = holdings.line();
        words.putLong(RdmaDescriptor.COMPLETION_RING, ring.value())
                .putLong(RdmaDescriptor.COMPLETION_RECORD, record.value())
                .putLong(RdmaDescriptor.LOG_COMPLETIONS, logDepth);
        return holdings.keep(loaded.queue(FlexioCq.Attributes.of(ring, logDepth, record)));
    }

    private Made made() {
        return Objects.requireNonNull(made, "made");
    }

    private boolean lives() {
        return process.errorState().isRunning();
    }

    @Override
    public long handle() {
        return made().descriptor.value();
    }

    @Override
    public QueuePairControl queuePair(int connection) {
        return DocaErrors.of(() -> new Connection(connection));
    }

    private DpaAddr entry(int connection) {
        return new DpaAddr(ConnectionDescriptor.of(handle(), connection));
    }

    private long word(int connection, int offset) {
        return process.heap().copyWordsOut(entry(connection).plus(offset), 1)[0];
    }

    private void queue(int connection, long content) {
        process.heap().copyWordsIn(entry(connection).plus(ConnectionDescriptor.QUEUE), content);
    }

    @Override
    public long posted(int connection) {
        return lives() ? DocaErrors.of(() -> word(connection, ConnectionDescriptor.POSTED)) : 0;
    }

    /// DPA-RD-11: the host writes first, and then looks whether device code posts; that does both
    /// the other way round.
    @Override
    public boolean retire(int connection) {
        return !lives() || DocaErrors.of(() -> isRetired(connection));
    }

    private boolean isRetired(int connection) {
        long queue = word(connection, ConnectionDescriptor.QUEUE);
        queue(connection, queue | ConnectionDescriptor.RETIRING);
        VarHandle.fullFence();
        boolean isIdle =
                word(connection, ConnectionDescriptor.PINNED) == 0
                        && word(connection, ConnectionDescriptor.POSTED)
                                == word(connection, ConnectionDescriptor.ENDED);
        if (!isIdle) {
            queue(connection, queue);
        }
        return isIdle;
    }

    /// Device code that knows the handle still is told so.
    @Override
    public void close() {
        made().demands.ifPresent(Demands::close);
        DocaErrors.giveBack(
                process, () -> process.heap().fill(made().descriptor, Long.BYTES, (byte) 0));
        told.ifPresent(DocaDpaCompletion::settle);
        lifecycle.stop();
        told.ifPresent(DocaDpaCompletion::detach);
    }

    /// The queue pair of a connection.
    private final class Connection implements QueuePairControl {
        private final Holdings holdings = new Holdings(loaded);
        private final DpaAddr entry;
        private final FlexioQp pair;
        private boolean isClosed;

        private Connection(int number) {
            Made on = made();
            entry = entry(number);
            DpaAddr ring = holdings.zeros(SendEntry.BYTES << logSends);
            try {
                FlexioQp.Send send = new FlexioQp.Send(ring, logSends, on.completions);
                pair =
                        holdings.keep(
                                FlexioQp.create(
                                        process,
                                        send,
                                        on.receives,
                                        on.completions,
                                        number,
                                        loaded.uar()));
                pair.purpose("connection %d of RDMA context 0x%x".formatted(number, handle()));
                told.ifPresent(one -> one.queues().add(pair.number(), entry.value()));
            } catch (RuntimeException e) {
                holdings.close();
                throw e;
            }
            process.heap()
                    .copyIn(
                            entry,
                            ByteBuffer.allocate(ConnectionDescriptor.BYTES)
                                    .order(ByteOrder.LITTLE_ENDIAN)
                                    .putLong(ConnectionDescriptor.QUEUE, pair.number())
                                    .putLong(ConnectionDescriptor.SEND_RING, ring.value())
                                    .putLong(ConnectionDescriptor.RDMA, handle())
                                    .array());
        }

        @Override
        public int number() {
            return pair.number();
        }

        @Override
        public QueuePairState state() {
            return isClosed || !lives() ? QueuePairState.ERROR : DocaErrors.of(pair::state);
        }

        /// @throws DocaException if the change is none
        @Override
        public void modify(QueuePairChange change) {
            DocaErrors.giveBack(process, () -> pair.modify(change));
        }

        @Override
        public void close() {
            if (!isClosed) {
                isClosed = true;
                DocaErrors.giveBack(
                        process,
                        () -> {
                            process.heap().fill(entry, Long.BYTES, (byte) 0);
                            told.ifPresent(one -> one.queues().remove(pair.number()));
                            holdings.close();
                        });
            }
        }
    }
}
