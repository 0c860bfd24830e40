package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.flexio.GpuStream;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Events that each side updates, and that all others wait for, together with what was written
/// before.
class EventMatrixTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final long VALUE = 1L << 40;
    private static final int SET_SEED = 1_000;
    private static final int ADD_SEED = 2_000;

    /// Who updates.
    enum Updater {
        CPU,
        KERNEL,
        STREAM,
        /// A kernel, by RDMA.
        PEER;

        /// A new event that it updates, and for which everybody can wait.
        SyncEvent event(EventSide side) {
            SyncEvent event =
                    new SyncEvent(side.dev)
                            .subscriber(Location.CPU)
                            .subscriber(side.dpa)
                            .subscriber(side.gpu);
            SyncEvent updated =
                    switch (this) {
                        case CPU -> event.publisher(Location.CPU);
                        case KERNEL -> event.publisher(side.dpa);
                        case STREAM -> event.publisher(side.gpu);
                        case PEER -> event.publisher(Location.REMOTE_NET);
                    };
            return side.open(updated.start());
        }
    }

    /// Who waits, and in the end has added to an event: a kernel, a launch, and a stream.
    private static SyncEvent listen(EventSide side, SyncEvent event, long seed, boolean inHeap) {
        SyncEvent done =
                side.open(
                        new SyncEvent(side.dev)
                                .publisher(side.dpa)
                                .publisher(side.gpu)
                                .subscriber(Location.CPU)
                                .start());
        DpaAddr words = inHeap ? side.words : new DpaAddr(0);
        int key = side.host.handle(side.dpa);
        long host = side.place(0).value();
        long told = done.handle(side.dpa);
        long before = event.get();
        side.dpa.launchUpdateAdd(
                null,
                0,
                null,
                0,
                1,
                EventStepsStub.hear(event.handle(side.dpa), before, key, host, words, seed, told));
        side.dpa.launchUpdateAdd(
                event, before + 1, null, 0, 1, EventStepsStub.look(key, host, words, seed, told));
        GpuStream stream = side.open(side.gpu.stream("listener"));
        side.gpu.waitGt(stream, event.handle(side.gpu), before);
        stream.copy(side.place(1), side.place(0), EventSide.MESSAGE);
        side.gpu.updateAdd(stream, done.handle(side.gpu), 1);
        return done;
    }

    private static void assertHeard(EventSide side, SyncEvent event, SyncEvent done, long seed)
            throws InterruptedException {
        event.waitGt(VALUE - 1, -1, Spin.YIELD, LONG);
        assertThat(side.read(0)).isEqualTo(EventSide.message(seed));
        done.waitGt(2, -1, Spin.YIELD, LONG);
        assertThat(done.get()).isEqualTo(3);
        assertThat(side.read(1)).isEqualTo(EventSide.message(seed));
        assertThat(event.get()).isEqualTo(VALUE);
    }

    static Stream<Arguments> all() {
        return Stream.of(Updater.values())
                .flatMap(updater ->
                        CheckedDevices.modes().stream().map(mode -> Arguments.of(updater, mode)));
    }

    @ParameterizedTest
    @MethodSource("all")
    @Requirement({"DPA-SE-2", "DPA-SE-5", "DPA-SE-7", "DSE-EXP-6", "DSE-OBJ-4"})
    void everybodyHearsWhatEachTells(Updater updater, RunMode mode) throws Exception {
        try (EventSide side = EventSide.in(mode)) {
            for (int seed : List.of(SET_SEED, ADD_SEED)) {
                SyncEvent event = updater.event(side);
                boolean inHeap = updater == Updater.CPU || updater == Updater.KERNEL;
                SyncEvent done = listen(side, event, seed, inHeap);
                tell(updater, side, event, seed);
                assertHeard(side, event, done, seed);
            }
        }
    }

    private static void tell(Updater updater, EventSide side, SyncEvent event, int seed)
            throws InterruptedException {
        boolean isAdd = seed == ADD_SEED;
        switch (updater) {
            case CPU -> {
                side.write(seed);
                if (isAdd) {
                    event.updateAdd(VALUE);
                } else {
                    event.updateSet(VALUE);
                }
            }
            case KERNEL ->
                    side.dpa.launchUpdateAdd(
                            null,
                            0,
                            null,
                            0,
                            1,
                            EventStepsStub.tell(
                                    side.host.handle(side.dpa),
                                    side.place(0).value(),
                                    side.words,
                                    seed,
                                    event.handle(side.dpa),
                                    VALUE,
                                    isAdd ? 1 : 0));
            case STREAM -> {
                GpuStream stream = side.open(side.gpu.stream("teller"));
                stream.copy(side.place(0), side.image(seed), EventSide.MESSAGE);
                if (isAdd) {
                    side.gpu.updateAdd(stream, event.handle(side.gpu), VALUE);
                } else {
                    side.gpu.updateSet(stream, event.handle(side.gpu), VALUE);
                }
            }
            case PEER -> {
                Rdma rdma = side.rdma();
                EventSide.connect(rdma, side.rdma());
                SyncEvent sent =
                        side.open(
                                new SyncEvent(side.dev)
                                        .publisher(side.dpa)
                                        .subscriber(Location.CPU)
                                        .start());
                side.dpa.launchUpdateAdd(
                        null,
                        0,
                        sent,
                        1,
                        1,
                        EventStepsStub.signal(
                                side.desk(rdma, side, event), seed, VALUE, isAdd ? 1 : 0));
                sent.waitGt(0, -1, Spin.YIELD, LONG);
            }
        }
    }

    /// A peer that does not know what it talks to, and one that is a DPA as well.
    @ParameterizedTest
    @CsvSource({
        "roce://auto?peer=127.0.0.1, false",
        "roce://auto?peer=127.0.0.1, true",
        "sim://event-matrix/10.9.4.%d?clock=real, false",
        "sim://event-matrix/10.9.4.%d?clock=real, true"
    })
    @Requirement({"DPA-SE-5", "DPA-SE-7", "DPA-SE-8a"})
    void everybodyHearsWhatAPeerOnTheFabricTells(String uri, boolean isDpa) throws Exception {
        try (Device peerCard = Fabric.open(uri.formatted(2));
                EventSide side = EventSide.on(Fabric.open(uri.formatted(1)));
                PeerOfEvents peer =
                        isDpa ? new KernelPeer(peerCard, side) : new TaskPeer(peerCard, side)) {
            for (int seed : List.of(SET_SEED, ADD_SEED)) {
                SyncEvent event = Updater.PEER.event(side);
                SyncEvent done = listen(side, event, seed, false);
                peer.tell(event, seed, VALUE, seed == ADD_SEED);
                assertHeard(side, event, done, seed);
            }
        }
    }
}
