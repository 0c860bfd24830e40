package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioErrorState;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioMsgStream;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.CycleCosts;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.dpacc.DpaImage;
import dev.outboard.dpacc.DpaLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// A healthy process that is called all the time, and beside it, on the same device and of the same
/// host, hostile ones.
public final class Neighbours implements AutoCloseable {
    static final int HEAP_BYTES = 64 << 10;
    static final int STACK_BYTES = 8 << 10;
    static final int GLOBAL_BYTES = 64;
    private static final long WATCHDOG_NANOS = 1_000_000;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final MachineOptions OPTIONS =
            MachineOptions.DEFAULT
                    .withUnits(UnitGrid.SMALL)
                    .withStorage(new Storage(HEAP_BYTES, STACK_BYTES, false))
                    .withTiming(new Timing(WATCHDOG_NANOS, 1_000, CycleCosts.DEFAULT));
    private static final int PATTERN = 37;
    private static final int MOST_TEXT_BYTES = 8 << 10;
    private static final String WORKER = " of a DPA";

    private final HostProcess host = HostProcess.open();
    private final DpaDevice device;
    private final FlexioProcess healthy;
    private final byte[] pattern = new byte[HEAP_BYTES / 2];
    private final DpaAddr patternAt;
    private final DpaCall<DpaThread> count;
    private final AtomicLong calls = new AtomicLong();
    private final Thread caller;
    private volatile boolean closing;
    private volatile @Nullable Throwable failure;

    /// Opens the healthy one.
    public Neighbours(RunMode mode) {
        device = DpaDevice.of(OPTIONS, mode);
        long[] word = new long[1];
        DpaApp<DpaThread> app =
                app(
                        new byte[0],
                        thread -> {
                            long next = thread.load64(word[0]) + 1;
                            thread.store64(word[0], next);
                            return next;
                        });
        healthy = FlexioProcess.create(host, device, app);
        word[0] = healthy.heap().zeros(Long.BYTES).value();
        for (int i = 0; i < pattern.length; i++) {
            pattern[i] = (byte) (PATTERN * i);
        }
        patternAt = healthy.heap().copyFromHost(pattern);
        count = callOf(app);
        caller = Thread.ofPlatform().name("caller").start(this::callOnAndOn);
    }

    private void callOnAndOn() {
        try {
            while (!closing) {
                assertThat(healthy.call(count)).isEqualTo(calls.get() + 1);
                calls.incrementAndGet();
            }
        } catch (Throwable thrown) {
            failure = thrown;
        }
    }

    /// An app with one function.
    public static DpaApp<DpaThread> app(byte[] code, ToLongFunction<DpaThread> body) {
        return new DpaApp<>(
                "code",
                List.of(),
                List.of(
                        new DpaFunction<>(
                                "code",
                                "run",
                                DpaFunction.Kind.RPC,
                                new DpaLayout(0, List.of()),
                                (thread, _) -> body.applyAsLong(thread))),
                GLOBAL_BYTES,
                _ -> {},
                Optional.of(new DpaImage(code, new byte[0], GLOBAL_BYTES)));
    }

    /// A call of that function.
    public static DpaCall<DpaThread> callOf(DpaApp<DpaThread> app) {
        return new DpaCall<>(app.function("run"), ByteBuffer.allocate(0));
    }

    /// A hart for a thread of a process, as for [Guest].
    public static RvHart hart(RvCode code, DpaThread thread, Ecalls calls) {
        RvHart hart = new RvHart(code, calls);
        hart.register(RvHart.FIRST_ARGUMENT, AddressMap.HEAP);
        hart.register(RvHart.FIRST_ARGUMENT + 1, AddressMap.GLOBALS);
        hart.register(RvHart.STACK_POINTER, thread.allocateStack(0));
        return hart;
    }

    /// Runs a call in a process of its own, which it does not survive.
    ///
    /// @param what it is
    /// @return what it died of
    public CrashReport crash(String what, DpaApp<DpaThread> app, DpaCall<DpaThread> call) {
        try (FlexioProcess hostile = open(app)) {
            assertThatThrownBy(() -> hostile.call(call))
                    .as(what)
                    .isInstanceOf(FlexioException.class);
            CrashReport crash = hostile.crashReport().orElseThrow();
            assertHealthy(what);
            return crash;
        }
    }

    /// Runs a call in a process of its own.
    ///
    /// @return what it returns
    public long call(DpaApp<DpaThread> app, DpaCall<DpaThread> call) {
        try (FlexioProcess hostile = open(app)) {
            long result = hostile.call(call);
            assertHealthy("a call that returned");
            return result;
        }
    }

    /// One whose messages are taken.
    private FlexioProcess open(DpaApp<DpaThread> app) {
        FlexioProcess opened = FlexioProcess.create(host, device, app);
        FlexioMsgStream.create(
                opened,
                FlexioMsgStream.Attributes.of(Messages.Level.DEBUG, FlexioMsgStream.Mode.SYNC),
                text -> assertThat(text).hasSizeLessThan(MOST_TEXT_BYTES));
        return opened;
    }

    /// The healthy one is called on, and nobody has written to its heap.
    private void assertHealthy(String after) {
        long before = calls.get();
        long begin = System.nanoTime();
        while (calls.get() == before
                && failure == null
                && System.nanoTime() - begin < LIMIT_NANOS) {
            Thread.onSpinWait();
        }
        assertThat(failure).as(after).isNull();
        assertThat(calls.get()).as(after).isGreaterThan(before);
        assertThat(healthy.errorState().kind()).as(after).isEqualTo(FlexioErrorState.Kind.NONE);
        assertThat(healthy.heap().copyOut(patternAt, pattern.length)).as(after).isEqualTo(pattern);
        assertThat(workers()).as(after).isLessThanOrEqualTo(processors());
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    private static long workers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().endsWith(WORKER))
                .count();
    }

    /// Ends all; no thread is left that runs code of the device.
    @Override
    public void close() {
        closing = true;
        try {
            assertThat(caller.join(Duration.ofNanos(LIMIT_NANOS))).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        host.close();
        long begin = System.nanoTime();
        while (workers() > 0 && System.nanoTime() - begin < LIMIT_NANOS) {
            Thread.onSpinWait();
        }
        assertThat(workers()).isZero();
    }
}
