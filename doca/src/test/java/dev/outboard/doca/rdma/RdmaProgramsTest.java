package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.BareEnvironment;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.spi.CompletionContext;
import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.doca.spi.RdmaQueues;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairControl;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Contexts whose operations programs of an execution environment post.
class RdmaProgramsTest {
    private static final long HANDLE = 0x4242;

    private final Programs dpa = new Programs(ExecutionEnvironment.Kind.DPA);
    private Device card;
    private DocaDev dev;
    private Rdma rdma;

    @BeforeEach
    void open() {
        card = Fabric.open("sim://rdma-programs/10.7.0.1");
        dev = DocaDev.of(card);
        rdma = new Rdma(dev);
    }

    @AfterEach
    void close() {
        rdma.close();
        dev.close();
        card.close();
    }

    /// An environment that notes what it is told.
    private static final class Programs extends BareEnvironment {
        private final List<String> notes = new ArrayList<>();
        private final List<Pair> pairs = new ArrayList<>();
        private boolean refuses;

        Programs(Kind kind) {
            super(kind);
        }

        @Override
        public RdmaQueues rdma(RdmaQueues.Attributes attributes) {
            notes.add(
                    "queues for %d: %d sends, %d receives"
                            .formatted(
                                    attributes.connections(),
                                    attributes.sends(),
                                    attributes.receives()));
            return new RdmaQueues() {
                @Override
                public QueuePairControl queuePair(int connection) {
                    if (refuses) {
                        throw new DocaException(DocaError.NO_MEMORY, "no room");
                    }
                    Pair made = new Pair(connection);
                    pairs.add(made);
                    return made;
                }

                @Override
                public long posted(int connection) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public boolean retire(int connection) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public long handle() {
                    return HANDLE;
                }

                @Override
                public void close() {
                    notes.add("queues closed");
                }
            };
        }

        @Override
        public String toString() {
            return "programs of a " + kind();
        }
    }

    private static final class Pair implements QueuePairControl {
        private final int connection;
        private final List<QueuePairState> states = new ArrayList<>();
        private boolean closed;

        Pair(int connection) {
            this.connection = connection;
        }

        @Override
        public int number() {
            return 77 + connection;
        }

        @Override
        public QueuePairState state() {
            return states.getLast();
        }

        @Override
        public void modify(QueuePairChange change) {
            states.add(change.state());
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static byte[] details() {
        return new ConnectionBlob(TransportType.RC, InetAddress.getLoopbackAddress(), 9, 8, 1024, 7)
                .encode();
    }

    @Test
    @Requirement("DRDMA-DPA-1")
    void aContextIsConfiguredStartedExportedConnectedAndKnownToPrograms() {
        rdma.datapathOnDpa(dpa).sendQueueSize(30).recvQueueSize(10);
        assertThat(rdma.start()).isEqualTo(CtxState.RUNNING);
        assertThat(dpa.notes).containsExactly("queues for 1: 32 sends, 16 receives");
        RdmaConnection connection = rdma.export();
        ConnectionBlob told = ConnectionBlob.decode(TransportType.RC, connection.details());
        assertThat(told.queuePairNumber()).isEqualTo(77);
        assertThat(rdma.rdmaState()).isEqualTo(RdmaState.INIT);
        connection.connect(details());
        assertThat(rdma.rdmaState()).isEqualTo(RdmaState.CONNECTED);
        assertThat(dpa.pairs.getFirst().states)
                .containsExactly(
                        QueuePairState.INIT,
                        QueuePairState.READY_TO_RECEIVE,
                        QueuePairState.READY_TO_SEND);
        assertThat(rdma.dpaHandle()).isEqualTo(HANDLE);
        assertThat(rdma.stop()).isEqualTo(CtxState.IDLE);
        assertThat(dpa.pairs.getFirst().closed).isTrue();
        assertThat(dpa.notes).hasSize(2).last().isEqualTo("queues closed");
    }

    @Test
    @Requirement("DRDMA-DPA-2")
    void theDataPathIsChosenBeforeTheStartAndTheHandleComesAfterIt() {
        assertRefused(DocaError.BAD_STATE, rdma::dpaHandle);
        rdma.datapathOnDpa(dpa);
        assertRefused(DocaError.BAD_STATE, rdma::dpaHandle);
        rdma.start();
        assertRefused(DocaError.BAD_STATE, () -> rdma.datapathOnDpa(dpa));
        assertThat(rdma.dpaHandle()).isEqualTo(HANDLE);
        try (ProgressEngine engine = ProgressEngine.create();
                Rdma ofTasks = new Rdma(dev)) {
            ofTasks.connectionMode(ConnectionMode.OPEN).attach(engine).start();
            assertRefused(DocaError.BAD_STATE, ofTasks::dpaHandle);
        }
    }

    @Test
    @Requirement("DRDMA-DPA-3")
    void whatIsNoDpaIsRefusedAndChangesNothing() {
        Programs gpu = new Programs(ExecutionEnvironment.Kind.GPU);
        assertRefused(DocaError.NOT_SUPPORTED, () -> rdma.datapathOnDpa(gpu));
        assertRefused(DocaError.NOT_CONNECTED, rdma::start);
        assertThat(gpu.notes).isEmpty();
    }

    @Test
    @Requirement("DRDMA-DPA-5")
    void theTransportIsReliableAndPerhapsDynamicallyConnected() {
        assertRefused(DocaError.NOT_SUPPORTED, () -> rdma.transportType(TransportType.DC));
        rdma.datapathOnDpa(dpa);
        assertThat(rdma.transportType()).isEqualTo(TransportType.RC);
        rdma.transportType(TransportType.DC);
        assertThat(rdma.transportType()).isEqualTo(TransportType.DC);
        assertThat(rdma.connectionMode()).isEqualTo(ConnectionMode.OPEN);
    }

    @Test
    void tasksAndConnectionsByAddressAreForTheCpu() {
        rdma.datapathOnDpa(dpa).connectionMode(ConnectionMode.OPEN).send(4).start();
        RdmaConnection connection = rdma.export();
        assertRefused(DocaError.NOT_PERMITTED, connection::allocSend);
        assertRefused(DocaError.NOT_PERMITTED, rdma::allocReceive);
        assertRefused(DocaError.NOT_PERMITTED, () -> rdma.listen(0));
    }

    @Test
    void whatNeedsTasksIsNotConfigured() {
        rdma.datapathOnDpa(dpa).keepAlive(Duration.ofSeconds(1));
        assertRefused(DocaError.NOT_SUPPORTED, rdma::start);
        assertThat(dpa.notes).isEmpty();
    }

    @Test
    void completionsAreOfTheSameEnvironment() {
        CompletionContext foreign = () -> new Programs(ExecutionEnvironment.Kind.DPA);
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.completions(() -> dpa));
        rdma.datapathOnDpa(dpa);
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.completions(foreign));
        rdma.completions(() -> dpa).start();
        assertThat(rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    void nothingIsLeftOfAStartThatFails() {
        dpa.refuses = true;
        rdma.datapathOnDpa(dpa);
        assertRefused(DocaError.NO_MEMORY, rdma::start);
        assertThat(dpa.notes).last().isEqualTo("queues closed");
        assertThat(rdma.state()).isEqualTo(CtxState.IDLE);
        dpa.refuses = false;
        assertThat(rdma.start()).isEqualTo(CtxState.RUNNING);
    }

    /// Whoever progresses hears of it.
    @Test
    void aConnectionThatFailsStopsAContextThatIsProgressed() {
        try (ProgressEngine engine = ProgressEngine.create();
                Rdma progressed = new Rdma(dev)) {
            progressed.datapathOnDpa(dpa).attach(engine).start();
            progressed.export().connect(details());
            dpa.pairs.getFirst().states.add(QueuePairState.ERROR);
            Eventually.until(() -> {
                boolean _ = engine.progress();
                return progressed.state() == CtxState.IDLE;
            });
            assertThat(progressed.stopCause()).isPresent();
        }
    }

    @Test
    void severalConnectionsAreNumberedByTheirPlaces() {
        rdma.datapathOnDpa(dpa).connectionMode(ConnectionMode.OPEN).maxNumConnections(3).start();
        for (int i = 0; i < 3; i++) {
            assertThat(rdma.export().id()).isEqualTo(i);
        }
        assertRefused(DocaError.FULL, rdma::export);
        assertThat(dpa.pairs).extracting(Pair::number).containsExactly(77, 78, 79);
    }
}
