package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.flexio.GpuStream;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Events to which all sides add at once: no addend is lost, whoever adds, and what goes beyond 64
/// bits is dropped.
class EventAddsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    /// Wraps around in the middle.
    private static final long START = -100;

    private static final int THREADS = 4;

    /// An event of which everybody is publisher.
    private static SyncEvent event(EventSide side) {
        SyncEvent event =
                side.open(
                        new SyncEvent(side.dev)
                                .publisher(side.dpa)
                                .publisher(side.gpu)
                                .publisher(Location.REMOTE_NET)
                                .publisher(Location.CPU)
                                .subscriber(Location.CPU)
                                .start());
        event.updateSet(START);
        return event;
    }

    /// Kernels and a stream add.
    private static void begin(EventSide side, SyncEvent event, int times) {
        side.dpa.launchUpdateAdd(
                null,
                0,
                event,
                7,
                THREADS,
                EventStepsStub.addOften(event.handle(side.dpa), times, 1));
        GpuStream stream = side.open(side.gpu.stream("adder"));
        for (int i = 0; i < times; i++) {
            side.gpu.updateAdd(stream, event.handle(side.gpu), 3);
        }
    }

    /// In the order of their beginning: kernels, their completion, the stream, the CPU, a peer.
    private static long total(int times) {
        return START + (long) times * THREADS + 7 + 3L * times + 5L * times + 11L * times;
    }

    private static void assertTotal(SyncEvent event, int times) throws InterruptedException {
        assertThat(event.waitEq(total(times), -1, Spin.YIELD, LONG)).isPositive();
    }

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-SE-6", "DPA-KL-7"})
    void noAddendIsLost(RunMode mode) throws Exception {
        int times = mode instanceof RunMode.Fast ? 500 : 40;
        try (EventSide side = EventSide.in(mode)) {
            SyncEvent event = event(side);
            Rdma rdma = side.rdma();
            EventSide.connect(rdma, side.rdma());
            begin(side, event, times);
            side.dpa.launchUpdateAdd(
                    null,
                    0,
                    null,
                    0,
                    1,
                    EventStepsStub.signalOften(side.desk(rdma, side, event), times, 11));
            for (int i = 0; i < times; i++) {
                event.updateAdd(5);
            }
            assertTotal(event, times);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "roce://auto?peer=127.0.0.1, false",
        "roce://auto?peer=127.0.0.1, true",
        "sim://event-adds/10.9.5.%d?clock=real, false",
        "sim://event-adds/10.9.5.%d?clock=real, true"
    })
    @Requirement({"DPA-SE-6", "DPA-SE-5"})
    void noAddendOfAPeerOnTheFabricIsLost(String uri, boolean isDpa) throws Exception {
        int times = 500;
        try (Device peerCard = Fabric.open(uri.formatted(2));
                EventSide side = EventSide.on(Fabric.open(uri.formatted(1)));
                PeerOfEvents peer =
                        isDpa ? new KernelPeer(peerCard, side) : new TaskPeer(peerCard, side)) {
            SyncEvent event = event(side);
            begin(side, event, times);
            CompletableFuture<Void> cpu =
                    CompletableFuture.runAsync(() -> {
                        for (int i = 0; i < times; i++) {
                            event.updateAdd(5);
                        }
                    });
            peer.addOften(event, times, 11);
            cpu.get();
            assertTotal(event, times);
        }
    }
}
