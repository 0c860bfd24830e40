package dev.outboard.dpa.doca;

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
import dev.outboard.dpacc.DpaAddr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/// One side of a connection: a context with a buffer in DPA memory and an event.
final class PingPongSide {
    private final RdmaFixture ends;
    private final DocaDev dev;
    private final DocaDpa dpa;
    private final Rdma rdma;
    private final RdmaConnection connection;
    private final DpaAddr words;
    private final DpaAddr buffer;
    private final Mmap mmap;
    final SyncEvent event;
    private final SyncEvent done;

    PingPongSide(RdmaFixture ends, RdmaFixture.Side on) {
        this.ends = ends;
        dev = on.dev();
        dpa = on.dpa();
        rdma =
                ends.open(
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
                ends.open(
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
                ends.open(
                        new SyncEvent(dev)
                                .publisher(Location.REMOTE_NET)
                                .subscriber(dpa)
                                .subscriber(Location.CPU)
                                .start());
        done = ends.open(new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start());
    }

    private void fill(int rounds, long seed, PingPongSide peer, long peerSeed) {
        RemoteMmap theirs = ends.open(RemoteMmap.fromExport(dev, peer.mmap.exportRdma(peer.dev)));
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

    /// Connects two sides, and tells each of the other one.
    static void connect(PingPongSide left, PingPongSide right, int rounds) {
        left.connection.connect(right.connection.details());
        right.connection.connect(left.connection.details());
        left.fill(rounds, 1_000_000, right, 2_000_000);
        right.fill(rounds, 2_000_000, left, 1_000_000);
    }

    /// Plays the rounds, which go on from those that were played before.
    ///
    /// @param games how many times that is, with this one
    static void play(PingPongSide left, PingPongSide right, int games, Duration limit) {
        left.launch();
        right.launch();
        left.await(games, limit);
        right.await(games, limit);
    }

    private void await(int games, Duration limit) {
        try {
            done.waitGt(games - 1, -1, Spin.YIELD, limit);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void launch() {
        dpa.launchUpdateAdd(null, 0, done, 1, 1, RdmaStepsStub.pingPong(words));
    }

    /// A word of those that kernels use.
    long word(int at) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG);
            dpa.copyFromDpa(to, words.plus(at));
            return to.get(ValueLayout.JAVA_LONG, 0);
        }
    }
}
