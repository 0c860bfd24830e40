package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaDev;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a peer knows of operations when it is told: on one context, and over networks that lose
/// packets and mix them up.
class RdmaOrderTest {
    private static final AtomicInteger NETWORKS = new AtomicInteger();
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
    private static final int MANY = 100_000;
    private static final int FEW = 8;

    private final DocaFixture on = new DocaFixture();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
        on.close();
    }

    private <T extends AutoCloseable> T open(T made) {
        opened.add(made);
        return made;
    }

    /// A context of the simulated NIC.
    private DocaDpa context(RunMode mode) {
        DpaDevice device = on.device(OPTIONS, mode);
        return open(DocaDpa.create(on.dev, device).app(RdmaOrderStub.APP).start());
    }

    /// An end with a card and a context of its own.
    private RdmaEnd endOn(String uri) {
        return endOn(uri, 1, false);
    }

    private RdmaEnd endOn(String uri, int connections, boolean isTold) {
        Device card = open(Fabric.open(uri));
        DocaDev dev = open(DocaDev.of(card));
        DpaDevice device = DpaDevice.of(OPTIONS, RunMode.fast(), card);
        DocaDpa dpa = open(DocaDpa.create(dev, device).app(RdmaOrderStub.APP).start());
        Optional<DocaDpaCompletion> told =
                isTold
                        ? Optional.of(open(DocaDpaCompletion.create(dpa, 64).start()))
                        : Optional.empty();
        return open(new RdmaEnd(dev, dpa, connections, told));
    }

    private RdmaEnd end(DocaDpa dpa, int connections, Optional<DocaDpaCompletion> told) {
        return open(new RdmaEnd(on.dev, dpa, connections, told));
    }

    private static DpaAddr side(
            RdmaEnd end, RdmaEnd peer, long rounds, long way, Optional<DocaDpaCompletion> told) {
        LongStream further =
                LongStream.of(rounds, way, told.map(DocaDpaCompletion::handle).orElse(0L), 0, 0);
        LongStream known = end.towards(peer).stream().mapToLong(Long::longValue);
        DpaAddr side = end.dpa.memAlloc(RdmaOrder.SIDE_BYTES);
        try (Arena arena = Arena.ofConfined()) {
            long[] words = LongStream.concat(known, further).toArray();
            end.dpa.copyToDpa(side, arena.allocateFrom(ValueLayout.JAVA_LONG, words));
        }
        return side;
    }

    private static long word(RdmaEnd end, DpaAddr side, int at) {
        return DocaFixture.words(end.dpa, side.plus(at), 1)[0];
    }

    @ParameterizedTest
    @ValueSource(longs = {RdmaOrder.SET, RdmaOrder.ADD})
    @Requirement("DPA-RD-3")
    void whoSeesTheSignalSeesWhatWasWrittenBefore(long way) {
        String uri =
                "sim://rdma-order-%d/10.8.1.%d?clock=real&seed=7&reorder=10%%25&duplicate=1%%25&loss=0.1%%25";
        int network = NETWORKS.incrementAndGet();
        RdmaEnd writer = endOn(uri.formatted(network, 1));
        RdmaEnd watcher = endOn(uri.formatted(network, 2));
        writer.connect(0, watcher, 0);
        DpaAddr writes = side(writer, watcher, MANY, way, Optional.empty());
        DpaAddr looks = side(watcher, writer, MANY, way, Optional.empty());
        try (SyncEvent written = end(writer);
                SyncEvent watched = end(watcher)) {
            watcher.dpa.launchUpdateAdd(null, 0, watched, 1, 1, RdmaOrderStub.watch(looks));
            writer.dpa.launchUpdateAdd(null, 0, written, 1, 1, RdmaOrderStub.writeRounds(writes));
            DocaFixture.await(watched, 0);
            DocaFixture.await(written, 0);
        }
        assertThat(watcher.event.get()).isEqualTo(MANY);
        assertThat(word(watcher, looks, RdmaOrder.BAD_WORDS)).isZero();
        assertThat(word(watcher, looks, RdmaOrder.LOOKS)).isGreaterThan(MANY / 100);
    }

    private static SyncEvent end(RdmaEnd of) {
        return new SyncEvent(of.dev).publisher(of.dpa).subscriber(Location.CPU).start();
    }

    static Stream<RunMode> modes() {
        return CheckedDevices.modes().stream();
    }

    /// Nobody waits for the writes to end: that the peer has been told is enough.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-RD-3", "DPA-RD-4"})
    void aSignalAFlagOrAMessageTellsOfTheWritesBeforeIt(RunMode mode) {
        for (long way = RdmaOrder.SET; way <= RdmaOrder.IMMEDIATE; way++) {
            DocaDpa dpa = context(mode);
            Optional<DocaDpaCompletion> told =
                    way < RdmaOrder.MESSAGE
                            ? Optional.empty()
                            : Optional.of(open(DocaDpaCompletion.create(dpa, 64).start()));
            RdmaEnd writer = end(dpa, 1, Optional.empty());
            RdmaEnd reader = end(dpa, 1, told);
            writer.connect(0, reader, 0);
            DpaAddr writes = side(writer, reader, FEW, way, Optional.empty());
            DpaAddr reads = side(reader, writer, FEW, way, told);
            if (told.isPresent()) {
                dpa.rpc(RdmaOrderStub.postReceives(reads, 0, FEW));
            }
            try (SyncEvent done = on.end(dpa)) {
                dpa.launchUpdateAdd(null, 0, done, 1, 1, RdmaOrderStub.awaitRounds(reads));
                dpa.launchUpdateAdd(null, 0, done, 1, 1, RdmaOrderStub.writeRounds(writes));
                DocaFixture.await(done, 1);
            }
            assertThat(word(reader, reads, RdmaOrder.LOOKS)).isEqualTo(FEW);
            assertThat(word(reader, reads, RdmaOrder.BAD_WORDS)).as("way %d", way).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-RD-10")
    void signalsSetOrAddAsTheyAreCalled(RunMode mode) {
        DocaDpa dpa = context(mode);
        RdmaEnd signaller = end(dpa, 1, Optional.empty());
        RdmaEnd peer = end(dpa, 1, Optional.empty());
        signaller.connect(0, peer, 0);
        DpaAddr side = side(signaller, peer, 0, 0, Optional.empty());
        dpa.rpc(RdmaOrderStub.signalTwice(side, 0));
        assertThat(peer.event.get()).isEqualTo(1);
        dpa.rpc(RdmaOrderStub.signalTwice(side, 0));
        assertThat(peer.event.get()).isEqualTo(1);
        dpa.rpc(RdmaOrderStub.signalTwice(side, 1));
        assertThat(peer.event.get()).isEqualTo(3);
    }

    /// Of a context with three connections, whose peers send in turns.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-RD-2")
    void messagesOfAllConnectionsTakeReceivesInTheOrderOfTheirPosting(RunMode mode) {
        DocaDpa dpa = context(mode);
        DocaDpaCompletion told = open(DocaDpaCompletion.create(dpa, 64).start());
        RdmaEnd receiver = end(dpa, 3, Optional.of(told));
        List<DpaAddr> senders = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            RdmaEnd sender = end(dpa, 1, Optional.empty());
            sender.connect(0, receiver, i);
            senders.add(side(sender, receiver, 0, 0, Optional.empty()));
        }
        DpaAddr receives = side(receiver, receiver, 0, 0, Optional.of(told));
        dpa.rpc(RdmaOrderStub.postReceives(receives, 0, RdmaEnd.QUEUE));
        int[] order = {0, 1, 2, 2, 1, 0, 0, 0, 2, 1};
        for (int counter = 0; counter < 4 * order.length; counter++) {
            int connection = order[counter % order.length];
            dpa.rpc(RdmaOrderStub.send(senders.get(connection), 0, 100 + counter, counter));
            assertThat(dpa.rpc(RdmaOrderStub.take(receives)))
                    .isEqualTo(
                            (100L + counter) << 48
                                    | (long) counter << 32
                                    | (long) connection << 16
                                    | counter);
            dpa.rpc(RdmaOrderStub.postReceives(receives, counter, 1));
        }
    }

    /// Their packets come mixed, and so receives end in another order than they were posted in.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "roce://auto?peer=127.0.0.1",
                "sim://rdma-order-%d/10.8.1.%d?clock=real&seed=3&reorder=5%%25&loss=0.5%%25"
            })
    @Requirement("DPA-RD-2")
    void longMessagesOfSeveralPeersFindTheirReceives(String uri) {
        int network = NETWORKS.incrementAndGet();
        int peers = 3;
        int each = 1000;
        RdmaEnd receiver = endOn(uri.formatted(network, 1), peers, true);
        DpaAddr receives = side(receiver, receiver, (long) peers * each, 0, receiver.told);
        try (SyncEvent received = end(receiver)) {
            List<SyncEvent> sent = new ArrayList<>();
            for (int i = 0; i < peers; i++) {
                RdmaEnd sender = endOn(uri.formatted(network, 2 + i));
                sender.connect(0, receiver, i);
                DpaAddr sends = side(sender, receiver, each, 0, Optional.empty());
                SyncEvent done = open(end(sender));
                sent.add(done);
                sender.dpa.launchUpdateAdd(
                        null, 0, done, 1, 1, RdmaOrderStub.sendLong(sends, i * each));
            }
            receiver.dpa.launchUpdateAdd(
                    null, 0, received, 1, 1, RdmaOrderStub.receiveLong(receives));
            DocaFixture.await(received, 0);
            sent.forEach(done -> DocaFixture.await(done, 0));
        }
        assertThat(word(receiver, receives, RdmaOrder.BAD_WORDS)).isZero();
        if (uri.startsWith("sim")) {
            assertThat(word(receiver, receives, RdmaOrder.LOOKS)).isPositive();
        }
    }
}
