package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// RDMA that kernels post.
class DpaRdmaTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final AtomicInteger CARDS = new AtomicInteger();

    private final List<Checker> checkers = new ArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
        assertThat(checkers).flatExtracting(Checker::findings).isEmpty();
    }

    private <T extends AutoCloseable> T open(T made) {
        opened.add(made);
        return made;
    }

    private DpaDevice device(RunMode mode) {
        MachineOptions options = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
        boolean checks = mode instanceof RunMode.Turns turns && turns.weak().isEmpty();
        return checks ? DpaDevice.of(options, mode, this::checker) : DpaDevice.of(options, mode);
    }

    private Observer checker() {
        Checker checker = new Checker(Profile.SEED, false);
        checkers.add(checker);
        return checker;
    }

    /// One side of a connection: a context with a buffer in DPA memory and an event.
    private final class Side {
        private final DocaDev dev;
        private final DocaDpa dpa;
        private final Rdma rdma;
        private final RdmaConnection connection;
        private final DpaAddr words;
        private final DpaAddr buffer;
        private final Mmap mmap;
        private final SyncEvent event;
        private final SyncEvent done;

        Side(DocaDev dev, DocaDpa dpa) {
            this.dev = dev;
            this.dpa = dpa;
            rdma =
                    open(
                            new Rdma(dev)
                                    .datapathOnDpa(dpa)
                                    .permissions(
                                            AccessFlag.RDMA_WRITE,
                                            AccessFlag.RDMA_READ,
                                            AccessFlag.RDMA_ATOMIC));
            rdma.start();
            connection = rdma.export();
            words = dpa.memAlloc(RdmaSteps.SIDE_BYTES);
            dpa.memset(words, 0, RdmaSteps.SIDE_BYTES);
            int bytes = 4 * RdmaSteps.SLOT_WORDS * Long.BYTES;
            buffer = dpa.memAlloc(bytes);
            dpa.memset(buffer, 0, bytes);
            mmap =
                    open(
                            Mmap.builder()
                                    .device(dev)
                                    .memrange(dpa, buffer.value(), bytes)
                                    .permissions(
                                            AccessFlag.LOCAL_READ_WRITE,
                                            AccessFlag.RDMA_WRITE,
                                            AccessFlag.RDMA_READ)
                                    .build()
                                    .start());
            event =
                    open(
                            new SyncEvent(dev)
                                    .publisher(Location.REMOTE_NET)
                                    .subscriber(dpa)
                                    .subscriber(Location.CPU)
                                    .start());
            done = open(new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start());
        }

        private void fill(int rounds, long seed, Side peer, long peerSeed) {
            RemoteMmap theirs = open(RemoteMmap.fromExport(dev, peer.mmap.exportRdma(peer.dev)));
            SyncEventRemoteNet told =
                    SyncEventRemoteNet.fromExport(dev, peer.event.exportToRemoteNet());
            long half = 2L * RdmaSteps.SLOT_WORDS * Long.BYTES;
            long[] values = new long[RdmaSteps.SIDE_BYTES / Long.BYTES];
            values[RdmaSteps.RDMA / Long.BYTES] = rdma.dpaHandle();
            values[RdmaSteps.OWN_KEY / Long.BYTES] = mmap.handle(dpa);
            values[RdmaSteps.OUT / Long.BYTES] = mmap.addressFor(dpa);
            values[RdmaSteps.IN / Long.BYTES] = buffer.value() + half;
            values[RdmaSteps.PEER_KEY / Long.BYTES] = theirs.handle(dpa);
            values[RdmaSteps.PEER_IN / Long.BYTES] = theirs.addressFor(dpa) + half;
            values[RdmaSteps.PEER_EVENT / Long.BYTES] = told.handle(dpa);
            values[RdmaSteps.EVENT / Long.BYTES] = event.handle(dpa);
            values[RdmaSteps.ROUNDS / Long.BYTES] = rounds;
            values[RdmaSteps.SEED / Long.BYTES] = seed;
            values[RdmaSteps.PEER_SEED / Long.BYTES] = peerSeed;
            try (Arena arena = Arena.ofConfined()) {
                dpa.copyToDpa(words, arena.allocateFrom(ValueLayout.JAVA_LONG, values));
            }
        }

        private void launch() {
            dpa.launchUpdateAdd(null, 0, done, 1, 1, RdmaStepsStub.pingPong(words));
        }

        private long word(int at) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG);
                dpa.copyFromDpa(to, words.plus(at));
                return to.get(ValueLayout.JAVA_LONG, 0);
            }
        }
    }

    private static void connect(Side left, Side right) {
        left.connection.connect(right.connection.details());
        right.connection.connect(left.connection.details());
    }

    private static void pingPong(Side left, Side right, int rounds, Duration limit)
            throws InterruptedException {
        connect(left, right);
        left.fill(rounds, 1_000_000, right, 2_000_000);
        right.fill(rounds, 2_000_000, left, 1_000_000);
        left.launch();
        right.launch();
        for (Side side : List.of(left, right)) {
            side.done.waitGt(0, -1, Spin.YIELD, limit);
            assertThat(side.event.get()).isEqualTo(rounds);
            assertThat(side.word(RdmaSteps.BAD_WORDS)).isZero();
        }
    }

    static List<RunMode> modes() {
        return DocaDpaTest.modes();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-RD-9", "DPA-RD-3", "DPA-LIT-48"})
    void twoKernelsOfOneContextPlayPingPong(RunMode mode) throws InterruptedException {
        Device card =
                open(Fabric.open("sim://dpa-rdma-%d/10.8.0.1".formatted(CARDS.incrementAndGet())));
        DocaDev dev = open(DocaDev.of(card));
        DocaDpa dpa = open(DocaDpa.create(dev, device(mode)).app(RdmaStepsStub.APP).start());
        pingPong(new Side(dev, dpa), new Side(dev, dpa), 1000, LONG);
    }

    @ParameterizedTest
    @ValueSource(strings = {"roce://auto?peer=127.0.0.1", "sim://%s/10.8.0.%d?clock=real"})
    @Requirement("DPA-RD-9")
    void twoContextsPlayPingPongOverTheFabric(String uri) throws InterruptedException {
        String network = "dpa-rdma-%d".formatted(CARDS.incrementAndGet());
        List<Side> sides = new ArrayList<>();
        for (int host = 1; host <= 2; host++) {
            Device card = open(Fabric.open(uri.formatted(network, host)));
            DocaDev dev = open(DocaDev.of(card));
            MachineOptions options = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
            DpaDevice device = DpaDevice.of(options, RunMode.fast(), card);
            sides.add(
                    new Side(
                            dev, open(DocaDpa.create(dev, device).app(RdmaStepsStub.APP).start())));
        }
        pingPong(sides.get(0), sides.get(1), 5000, LONG);
    }
}
