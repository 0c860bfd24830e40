package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.BareEnvironment;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.spi.RdmaQueues;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairChange.Attribute;
import dev.outboard.fabric.QueuePairControl;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Queue pairs that connections of an [Rdma] context have on demand, over the connection manager of
/// a simulated network; who posts to them is played.
class DynamicConnectionsTest {
    private static final String CARD = "sim://dynamic-%d/10.9.0.%d?clock=real";
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final AtomicInteger NETWORKS = new AtomicInteger();
    private static final AtomicInteger NUMBERS = new AtomicInteger(100);

    private int network;
    private Host left;
    private Host right;

    /// Where the right one is asked.
    private InetSocketAddress service;

    /// A queue pair that notes what it is told.
    private static final class Pair implements QueuePairControl {
        private final int connection;
        private final int number = NUMBERS.incrementAndGet();
        private volatile QueuePairState state = QueuePairState.RESET;
        private volatile int peer;
        private volatile boolean closed;

        private Pair(int connection) {
            this.connection = connection;
        }

        @Override
        public int number() {
            return number;
        }

        @Override
        public QueuePairState state() {
            return state;
        }

        @Override
        public void modify(QueuePairChange change) {
            state = change.state();
            if (state == QueuePairState.READY_TO_RECEIVE) {
                peer = change.value(Attribute.DESTINATION_NUMBER);
            }
        }

        @Override
        public void close() {
            closed = true;
        }

        private boolean isConnected() {
            return state == QueuePairState.READY_TO_SEND && !closed;
        }
    }

    /// Programs that post when the test says so.
    private static final class Programs extends BareEnvironment implements RdmaQueues {
        private final List<Pair> pairs = new CopyOnWriteArrayList<>();
        private final Map<Integer, Long> posted = new ConcurrentHashMap<>();
        private final AtomicInteger looks = new AtomicInteger();
        private volatile boolean isOutstanding;
        private volatile Attributes attributes;

        private Programs() {
            super(Kind.DPA);
        }

        @Override
        public RdmaQueues rdma(Attributes given) {
            attributes = given;
            return this;
        }

        @Override
        public QueuePairControl queuePair(int connection) {
            Pair made = new Pair(connection);
            pairs.add(made);
            return made;
        }

        @Override
        public long posted(int connection) {
            return posted.getOrDefault(connection, 0L);
        }

        @Override
        public boolean retire(int connection) {
            looks.incrementAndGet();
            return !isOutstanding;
        }

        @Override
        public long handle() {
            return 1;
        }

        @Override
        public void close() {
            // Nothing is left.
        }

        private Pair last() {
            return pairs.getLast();
        }

        private void need(int connection, int instead) {
            attributes.onDemand().orElseThrow().demand().needed(connection, instead);
        }
    }

    /// A context of programs on a card of its own.
    private static final class Host {
        private final Device card;
        private final DocaDev dev;
        private final Programs programs = new Programs();
        private final Rdma rdma;

        private Host(int network, int number) {
            card = Fabric.open(CARD.formatted(network, number));
            dev = DocaDev.of(card);
            rdma = new Rdma(dev).datapathOnDpa(programs).transportType(TransportType.DC);
            rdma.maxNumConnections(20).connectionRequestTimeout(LIMIT).start();
        }

        private void name(Host peer) {
            rdma.export().connect(peer.rdma.export().details());
        }

        private void close() {
            rdma.close();
            dev.close();
            card.close();
        }
    }

    @BeforeEach
    void open() {
        network = NETWORKS.incrementAndGet();
        left = new Host(network, 1);
        right = new Host(network, 2);
        left.name(right);
        left.name(right);
        ConnectionBlob told =
                ConnectionBlob.decode(TransportType.DC, right.rdma.export().details());
        service = new InetSocketAddress(address(2), told.queuePairNumber());
    }

    @AfterEach
    void close() {
        left.close();
        right.close();
    }

    /// Both ends of the queue pair of a connection, made now.
    private List<Pair> connected(int connection) {
        left.programs.need(connection, -1);
        Pair here = left.programs.last();
        Pair there = right.programs.last();
        assertThat(here.isConnected()).isTrue();
        assertThat(there.isConnected()).isTrue();
        return List.of(here, there);
    }

    @Test
    @Requirement("DPA-RD-11a")
    void aConnectionHasAQueuePairWhenItIsNeeded() {
        assertThat(left.programs.attributes.connections()).isEqualTo(20);
        assertThat(left.programs.attributes.onDemand().orElseThrow().pairs()).isEqualTo(16);
        assertThat(left.programs.pairs).isEmpty();
        assertThat(right.programs.pairs).isEmpty();
        List<Pair> ends = connected(1);
        assertThat(ends.getFirst().connection).isEqualTo(1);
        assertThat(ends.getFirst().peer).isEqualTo(ends.getLast().number);
        assertThat(ends.getLast().peer).isEqualTo(ends.getFirst().number);
        assertThat(ends.getLast().connection).isGreaterThanOrEqualTo(20);
        left.programs.need(1, -1);
        assertThat(left.programs.pairs).hasSize(1);
    }

    @Test
    @Requirement("DPA-RD-11b")
    void anotherGivesItsQueuePairUpAtBothEnds() {
        List<Pair> first = connected(0);
        left.programs.need(1, 0);
        assertThat(first.getFirst().closed).isTrue();
        assertThat(left.programs.last().isConnected()).isTrue();
        Eventually.until(() -> first.getLast().closed);
        assertThat(right.programs.last().isConnected()).isTrue();
    }

    @Test
    @Requirement("DPA-RD-11c")
    void whatIsIdleGoesAtBothEnds() {
        List<Pair> ends = connected(0);
        Eventually.until(() -> ends.getFirst().closed && ends.getLast().closed);
        assertThat(connected(0)).isNotEqualTo(ends);
    }

    @Test
    @Requirement("DPA-RD-11c")
    void whatHasOperationsOutstandingStays() {
        left.programs.isOutstanding = true;
        List<Pair> ends = connected(0);
        Eventually.until(() -> left.programs.looks.get() >= 2);
        assertThat(ends).allMatch(Pair::isConnected);
    }

    @Test
    @Requirement("DPA-RD-11a")
    void aPeerThatIsGoneLeavesAQueuePairThatHasFailed() {
        right.rdma.stop();
        left.programs.need(0, -1);
        Pair failed = left.programs.last();
        assertThat(failed.state).isEqualTo(QueuePairState.ERROR);
        Eventually.until(() -> failed.closed);
        right.rdma.start();
        left.rdma.stop();
        left.rdma.start();
        left.name(right);
        assertThat(connected(0)).hasSize(2);
    }

    /// It has been killed, and says nothing.
    @Test
    @Requirement("DPA-RD-11c")
    void whatPeersDoNotAskForAnyMoreGoes() {
        left.programs.isOutstanding = true;
        Pair there = connected(0).getLast();
        left.card.close();
        Eventually.until(() -> there.closed);
    }

    @Test
    @Requirement("DPA-RD-11b")
    void peersGetOnlySoMany() {
        try (DatagramService stranger = stranger(3, "")) {
            ConnectionBlob last = blob(3, 0);
            for (int i = 0; i < 128; i++) {
                last = blob(3, i);
                assertThat(ask(stranger, (byte) 1, last).failure()).isEmpty();
            }
            assertThat(ask(stranger, (byte) 1, blob(3, 128)).failure())
                    .hasValueSatisfying(why -> assertThat(why).contains("full: 128 peers"));
            assertThat(ask(stranger, (byte) 1, last).failure()).isEmpty();
            assertThat(right.programs.pairs).hasSize(128);
            assertThat(ask(stranger, (byte) 2, last).failure()).isEmpty();
            assertThat(right.programs.last().closed).isTrue();
            assertThat(ask(stranger, (byte) 1, blob(3, 128)).failure()).isEmpty();
        }
    }

    @Test
    @Requirement("DPA-RD-11a")
    void whatIsNoQuestionIsRefused() {
        try (DatagramService stranger = stranger(3, "")) {
            assertThat(ask(stranger, (byte) 9, blob(3, 1)).failure())
                    .hasValueSatisfying(why -> assertThat(why).contains("none of this service"));
            assertThat(ask(stranger, (byte) 1, blob(4, 1)).failure())
                    .hasValueSatisfying(why ->
                            assertThat(why).contains("10.9.0.3 asks for a queue pair of 10.9.0.4"));
            assertThat(right.programs.pairs).isEmpty();
        }
    }

    /// A peer that was started anew knows nothing of a queue pair, and makes another one.
    @Test
    @Requirement("DPA-RD-11a")
    void aPeerThatHasForgottenAQueuePairEndsIt() {
        try (DatagramService forgetful = stranger(3, "forgets")) {
            left.programs.isOutstanding = true;
            left.rdma
                    .export()
                    .connect(
                            new ConnectionBlob(
                                            TransportType.DC,
                                            address(3),
                                            forgetful.port(),
                                            0,
                                            1024,
                                            3)
                                    .encode());
            left.programs.need(2, -1);
            Pair made = left.programs.last();
            assertThat(made.isConnected()).isTrue();
            Eventually.until(() -> made.state == QueuePairState.ERROR);
        }
    }

    @Test
    @Requirement("DPA-RD-11a")
    void bothEndsAreDynamicallyConnected() {
        ConnectionBlob reliable = new ConnectionBlob(TransportType.RC, address(2), 5, 5, 1024, 2);
        assertRefused(
                DocaError.CONNECTION_ABORTED,
                () -> left.rdma.export().connect(reliable.encode()),
                "transport type 0");
        try (Rdma tasks = new Rdma(left.dev)) {
            assertRefused(
                    DocaError.NOT_SUPPORTED,
                    () -> tasks.transportType(TransportType.DC),
                    "DC once the data path is on a DPA");
        }
    }

    // ---- a peer that is played ------------------------------------------------------------------

    /// @param name if it answers, with another queue pair each time
    private DatagramService stranger(int host, String name) {
        Device card = Fabric.open(CARD.formatted(network, host));
        AtomicInteger answers = new AtomicInteger();
        DatagramService made =
                new DatagramService(
                        card.allocateProtectionDomain(),
                        name,
                        LIMIT,
                        (_, _) ->
                                DynamicConnections.message(
                                        (byte) 3, blob(host, answers.incrementAndGet())),
                        () -> {});
        made.start();
        return made;
    }

    private DatagramService.Answer ask(
            DatagramService stranger, byte question, ConnectionBlob blob) {
        CompletableFuture<DatagramService.Answer> answer = new CompletableFuture<>();
        stranger.ask(service, DynamicConnections.message(question, blob), answer::complete);
        return answer.join();
    }

    private static ConnectionBlob blob(int host, int number) {
        return new ConnectionBlob(TransportType.RC, address(host), number, 7, 1024, host);
    }

    private static InetAddress address(int host) {
        return InetAddress.ofLiteral("10.9.0." + host);
    }
}
