package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.testkit.Eventually;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// A started DPA context on a card of its own.
final class ContextFixture implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(60);
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
    private static final AtomicInteger CARDS = new AtomicInteger();

    final DocaDpa dpa;
    private final Device card;
    private final DocaDev dev;
    private final CheckedDevices devices = new CheckedDevices();

    private ContextFixture(DpaApp<DpaThread> app, Function<ContextFixture, DpaDevice> device) {
        card =
                Fabric.open(
                        "sim://doca-context-%d/10.9.1.1?clock=real"
                                .formatted(CARDS.incrementAndGet()));
        dev = DocaDev.of(card);
        dpa = DocaDpa.create(dev, device.apply(this)).app(app).start();
    }

    static ContextFixture open(RunMode mode, DpaApp<DpaThread> app) {
        return new ContextFixture(app, made -> made.devices.device(OPTIONS, mode));
    }

    /// In CHECK, with somebody else than a checker who watches.
    static ContextFixture watched(Observer watch, DpaApp<DpaThread> app) {
        RunMode mode = RunMode.check(Observer.NONE, 1);
        return new ContextFixture(app, _ -> DpaDevice.of(OPTIONS, mode, () -> watch));
    }

    /// At full speed, where the card carries what queue pairs send.
    static ContextFixture onFabric(DpaApp<DpaThread> app) {
        return new ContextFixture(app, made -> DpaDevice.of(OPTIONS, RunMode.fast(), made.card));
    }

    /// For the DPA and the CPU, both ways.
    SyncEvent event() {
        return new SyncEvent(dev)
                .publisher(dpa)
                .subscriber(dpa)
                .publisher(Location.CPU)
                .subscriber(Location.CPU)
                .start();
    }

    /// A block with these words.
    DpaAddr block(long... words) {
        DpaAddr block = dpa.memAlloc((long) words.length * Long.BYTES);
        try (Arena arena = Arena.ofConfined()) {
            dpa.copyToDpa(block, arena.allocateFrom(ValueLayout.JAVA_LONG, words));
        }
        return block;
    }

    void store(DpaAddr to, long word) {
        try (Arena arena = Arena.ofConfined()) {
            dpa.copyToDpa(to, arena.allocateFrom(ValueLayout.JAVA_LONG, word));
        }
    }

    long[] words(DpaAddr from, int count) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG, count);
            dpa.copyFromDpa(to, from);
            return to.toArray(ValueLayout.JAVA_LONG);
        }
    }

    /// How many bytes of its heap are taken.
    long heapBytes() {
        return look(process -> process.heap().usage().allocatedBytes());
    }

    private long look(ToLongFunction<FlexioProcess> question) {
        long[] answer = new long[1];
        Lifecycle looking = new Lifecycle(dpa, "look");
        looking.start(holdings -> answer[0] = question.applyAsLong(holdings.loaded.process()));
        looking.stop();
        return answer[0];
    }

    static void await(SyncEvent event, long threshold) {
        try {
            event.waitGt(threshold, -1, Spin.YIELD, LONG);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Lets the machine go on for a moment, in which the event does not change.
    static void assertQuiet(SyncEvent event) {
        long before = event.get();
        refused(
                DocaError.TIME_OUT,
                () -> {
                    try {
                        event.waitNeq(before, -1, Spin.YIELD, Duration.ofMillis(20));
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    /// In turns, lets the machine go on for a moment.
    void letGoOn(int nanos) {
        look(process -> process.goOn(Duration.ofNanos(nanos)) ? 1 : 0);
    }

    /// Lets the machine go on until a thread has met a fault.
    void awaitFault() {
        Eventually.until(() -> {
            look(process -> process.goOn(Duration.ofMillis(1)) ? 1 : 0);
            return dpa.peekAtLastError() == DocaError.BAD_STATE;
        });
    }

    static void refused(DocaError error, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(error));
    }

    /// In CHECK there must be one finding of each of these.
    void expect(Rule... rules) {
        devices.expect(rules);
    }

    @Override
    public void close() {
        dpa.close();
        dev.close();
        card.close();
        devices.verify();
    }
}
