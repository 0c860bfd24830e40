package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.run.FueledThread;
import dev.outboard.dpacc.DpaApp;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/// What is compiled goes with the process that it was compiled for.
class RegionLifeTest {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int ROUNDS = 4000;

    /// The class of a region, and the regions.
    private record Traces(WeakReference<Class<?>> type, WeakReference<Object> region) {
        private boolean areGone() {
            return type.refersTo(null) && region.refersTo(null);
        }
    }

    /// A loop that is hot.
    private static byte[] code() {
        return new CodeBuffer()
                .immediate("addi", 10, 10, -1)
                .store("sd", 10, 0, 11)
                .store("bne", 0, -8, 10)
                .ret()
                .toByteArray();
    }

    private static DpaApp<DpaThread> app(
            byte[] bytes, RvCode code, AtomicReference<Traces> traces) {
        return Neighbours.app(bytes, thread -> run(code, thread, traces));
    }

    /// As a program in C does, a hart is kept for the next call.
    private static long run(RvCode code, DpaThread thread, AtomicReference<Traces> traces) {
        RvHart hart = Neighbours.hart(code, thread, Ecalls.NONE);
        ((FueledThread) thread).port().keep(hart);
        hart.register(RvHart.FIRST_ARGUMENT, ROUNDS);
        hart.run(thread, AddressMap.CODE);
        CompiledRegion region = hart.regionAt(AddressMap.CODE);
        assertThat(region).isNotNull();
        traces.set(new Traces(new WeakReference<>(region.getClass()), new WeakReference<>(region)));
        return hart.register(RvHart.FIRST_ARGUMENT);
    }

    /// In a process of its own.
    private static Traces call(HostProcess host, DpaDevice device, RvCode code, byte[] bytes) {
        AtomicReference<Traces> traces = new AtomicReference<>();
        DpaApp<DpaThread> app = app(bytes, code, traces);
        try (FlexioProcess process = FlexioProcess.create(host, device, app)) {
            assertThat(process.call(Neighbours.callOf(app))).isZero();
            Traces first = traces.get();
            System.gc();
            assertThat(process.call(Neighbours.callOf(app))).isZero();
            assertThat(first.type.refersTo(traces.get().type.get())).isTrue();
            return first;
        }
    }

    private static void assertGone(Traces traces) {
        long begin = System.nanoTime();
        while (!traces.areGone() && System.nanoTime() - begin < LIMIT_NANOS) {
            System.gc();
        }
        assertThat(traces.areGone()).isTrue();
    }

    @Test
    void itGoesWithAllOfIt() {
        byte[] bytes = code();
        Traces traces;
        try (HostProcess host = HostProcess.open()) {
            DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast());
            traces = call(host, device, new RvCode(AddressMap.CODE, bytes), bytes);
        }
        assertGone(traces);
    }

    /// Programs are mostly constants.
    @Test
    void itGoesWhileProgramAndDeviceStay() {
        byte[] bytes = code();
        RvCode code = new RvCode(AddressMap.CODE, bytes);
        DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast());
        try (HostProcess host = HostProcess.open()) {
            assertGone(call(host, device, code, bytes));
            // All of it is used again.
            call(host, device, code, bytes);
        }
    }
}
