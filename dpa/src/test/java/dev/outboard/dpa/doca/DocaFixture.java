package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.testkit.Eventually;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/// A card of DOCA, and devices whose checkers have found nothing in the end.
final class DocaFixture implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(60);

    private static final AtomicInteger CARDS = new AtomicInteger();

    private final Device card =
            Fabric.open("sim://doca-fixture-%d/10.9.0.1".formatted(CARDS.incrementAndGet()));
    final DocaDev dev = DocaDev.of(card);
    private final CheckedDevices devices = new CheckedDevices();

    @Override
    public void close() {
        dev.close();
        card.close();
        devices.verify();
    }

    DpaDevice device(MachineOptions options, RunMode mode) {
        return devices.device(options, mode);
    }

    DocaDpa open(DpaDevice device) {
        return DocaDpa.create(dev, device).app(StepsStub.APP).start();
    }

    /// For the DPA and the CPU, both ways.
    SyncEvent both(DocaDpa dpa) {
        return new SyncEvent(dev)
                .publisher(dpa)
                .subscriber(dpa)
                .publisher(Location.CPU)
                .subscriber(Location.CPU)
                .start();
    }

    /// That the CPU has nothing to do with.
    SyncEvent own(DocaDpa dpa) {
        return new SyncEvent(dev).publisher(dpa).subscriber(dpa).start();
    }

    /// By which the CPU learns when kernels have ended.
    SyncEvent end(DocaDpa dpa) {
        return new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start();
    }

    static DpaAddr zeros(DocaDpa dpa, int words) {
        DpaAddr block = dpa.memAlloc((long) words * Long.BYTES);
        dpa.memset(block, 0, words * Long.BYTES);
        return block;
    }

    static long[] words(DocaDpa dpa, DpaAddr from, int count) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG, count);
            dpa.copyFromDpa(to, from);
            return to.toArray(ValueLayout.JAVA_LONG);
        }
    }

    static void await(SyncEvent event, long threshold) {
        await(event, threshold, LONG);
    }

    static void await(SyncEvent event, long threshold, Duration limit) {
        try {
            event.waitGt(threshold, -1, Spin.YIELD, limit);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Waits until a kernel has ended the context; the value of the event stays at most that.
    static void awaitFault(DocaDpa dpa, SyncEvent event, long value) {
        Eventually.until(() -> {
            assertThatThrownBy(() -> await(event, value, Duration.ofMillis(20)))
                    .isInstanceOfSatisfying(
                            DocaException.class,
                            e ->
                                    assertThat(e.error())
                                            .isIn(DocaError.TIME_OUT, DocaError.BAD_STATE));
            return dpa.peekAtLastError() == DocaError.BAD_STATE;
        });
    }

    /// What the refusal says.
    static String refused(DocaError error, Runnable call) {
        try {
            call.run();
        } catch (DocaException e) {
            assertThat(e.error()).as(e.getMessage()).isEqualTo(error);
            return String.valueOf(e.getMessage());
        }
        throw new AssertionError("not refused, but done");
    }
}
