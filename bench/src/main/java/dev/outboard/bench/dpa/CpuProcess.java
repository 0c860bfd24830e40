package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.dpa.machine.CycleCosts;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.dpacc.DpaImage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A thread of a DPA that calls a function in C again and again, for as long as it is told to. It
/// lives as long as this is open, so that its code stays compiled, and sleeps between measurements.
final class CpuProcess implements Ours.Subject {
    private static final Duration LIMIT = Duration.ofDays(1);
    private static final long GRACE_SECONDS = 60;
    private static final long END = 0;
    private static final int ROUNDS = 16;
    private static final int CALLS = 1_000;
    private static final Map<Integer, Double> INSTRUCTIONS = new ConcurrentHashMap<>();

    private final BlockingQueue<Long> orders = new LinkedBlockingQueue<>();
    private final BlockingQueue<Double> results = new LinkedBlockingQueue<>();
    private final Thread run;

    /// What is measured.
    private interface Loop {
        /// Goes on for about so long, and gives the result of the measurement.
        double run(DpaThread thread, long nanos);
    }

    private CpuProcess(DpaApp<DpaThread> app, Loop loop) {
        DpaImage image = app.image().orElseThrow();
        Timing timing = new Timing(Long.MAX_VALUE, Timing.DEFAULT.tickNanos(), CycleCosts.DEFAULT);
        DpaProcess process =
                DpaProcess.open(
                        MachineOptions.DEFAULT.withTiming(timing),
                        new ProgramImage(image.code(), image.data(), image.zeroBytes()),
                        new RunMode.Fast(LIMIT));
        process.trustedThread("cpu", thread -> serve(thread, loop), ThreadAttributes.DEFAULT);
        run = Thread.ofPlatform().name("process").daemon().start(process::run);
    }

    /// One of the works, in instructions per second.
    static CpuProcess work(int number, boolean compiled) {
        double instructions = instructions(number);
        DpaApp<DpaThread> app = CpuProgram.instance().app(compiled);
        DpaFunction<DpaThread> work = app.function("work");
        return new CpuProcess(
                app,
                (thread, nanos) ->
                        instructions * 1e9 / time(work, thread, nanos, ROUNDS, number, ROUNDS));
    }

    /// A function that does nothing, in nanoseconds.
    static CpuProcess nothing(boolean compiled) {
        DpaApp<DpaThread> app = CpuProgram.instance().app(compiled);
        DpaFunction<DpaThread> nothing = app.function("nothing");
        return new CpuProcess(app, (thread, nanos) -> time(nothing, thread, nanos, 1, 0));
    }

    /// How many instructions of RISC-V a round of a work has.
    static double instructions(int number) {
        return INSTRUCTIONS.computeIfAbsent(number, CpuProcess::count);
    }

    private static double count(int number) {
        DpaApp<DpaThread> app = CpuProgram.instance().app(true);
        DpaFunction<DpaThread> function = app.function("instructions");
        try (CpuProcess process =
                new CpuProcess(
                        app, (thread, _) -> function.body().run(thread, arguments(number)))) {
            return process.run(1);
        }
    }

    private static ByteBuffer arguments(long... values) {
        ByteBuffer arguments =
                ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (long value : values) {
            arguments.putLong(value);
        }
        return arguments;
    }

    /// What a round takes, of which each call has some.
    private static double time(
            DpaFunction<DpaThread> function,
            DpaThread thread,
            long nanos,
            int rounds,
            long... values) {
        ByteBuffer arguments = arguments(values);
        long start = System.nanoTime();
        long now = start;
        long done = 0;
        while (now - start < nanos) {
            int calls = rounds == 1 ? CALLS : 1;
            for (int i = 0; i < calls; i++) {
                function.body().run(thread, arguments);
            }
            done += (long) calls * rounds;
            now = System.nanoTime();
        }
        return (double) (now - start) / done;
    }

    private void serve(DpaThread thread, Loop loop) {
        try {
            for (long nanos = orders.take(); nanos != END; nanos = orders.take()) {
                results.add(loop.run(thread, nanos));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public double run(long nanos) {
        orders.add(nanos);
        try {
            Double result =
                    results.poll(
                            nanos + TimeUnit.SECONDS.toNanos(GRACE_SECONDS), TimeUnit.NANOSECONDS);
            if (result == null) {
                throw new MeasurementException("The function does not return");
            }
            return result;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new MeasurementException("The function was not waited for");
        }
    }

    @Override
    public void close() {
        orders.add(END);
        Ours.join(run);
    }
}
