package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A kernel in a process that runs for as long as this is open, so that its code stays compiled. It
/// is rewritten as the program of any user is, but trusted, since it looks at the clock. Between
/// measurements all of it sleeps.
final class KernelProcess implements Ours.Subject {
    private static final Duration LIMIT = Duration.ofDays(1);
    private static final long GRACE_SECONDS = 60;
    private static final long END = 0;

    private final double workPerRound;
    private final DpaProcess process;
    private final ThreadHandle thread;
    private final BlockingQueue<Long> orders = new LinkedBlockingQueue<>();
    private final BlockingQueue<Long> roundNanos = new LinkedBlockingQueue<>();
    private final Thread run;

    private KernelProcess(
            RunMode mode, Class<? extends RepeatedKernel> kernel, double workPerRound) {
        this.workPerRound = workPerRound;
        process =
                DpaProcess.open(
                        MachineOptions.DEFAULT,
                        ProgramImage.globals(RepeatedKernel.GLOBAL_BYTES),
                        mode);
        DpaProgram program = process.loadTrusted(kernel, RepeatedKernel.class, RoundTimes.class);
        program.setUp(process);
        thread =
                process.thread(
                        "kernel",
                        (Kernel) program,
                        ThreadAttributes.HANDLER.withArgument(process.createOutbox()));
        process.nic("events", this::activateByOrder);
        run = Thread.ofPlatform().name("process").daemon().start(process::run);
    }

    /// Under FAST.
    static KernelProcess fast(Class<? extends RepeatedKernel> kernel, double workPerRound) {
        return new KernelProcess(new RunMode.Fast(LIMIT), kernel, workPerRound);
    }

    /// Under CHECK.
    static KernelProcess checked(Class<? extends RepeatedKernel> kernel, double workPerRound) {
        RunMode mode =
                RunMode.check(new Checker(Profile.SEED, false), 1)
                        .withLimitOperations(Long.MAX_VALUE);
        return new KernelProcess(mode, kernel, workPerRound);
    }

    private void activateByOrder(Nic nic) {
        try {
            for (long nanos = orders.take(); nanos != END; nanos = orders.take()) {
                nic.store64(RepeatedKernel.NANOS, nanos);
                nic.activate(thread);
                nic.awaitDoorbell(AddressMap.SEND_DOORBELL, RepeatedKernel.QUEUE);
                roundNanos.add(nic.load64(RepeatedKernel.ROUND_NANOS));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public double run(long nanos) {
        orders.add(nanos);
        try {
            Long taken =
                    roundNanos.poll(
                            nanos + TimeUnit.SECONDS.toNanos(GRACE_SECONDS), TimeUnit.NANOSECONDS);
            if (taken == null) {
                throw new MeasurementException("The kernel does not answer");
            }
            return workPerRound * 1e9 / taken;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new MeasurementException("The kernel was not waited for");
        }
    }

    /// What the heap holds from its beginning on.
    byte[] heap(int lengthBytes) {
        return process.read(AddressMap.HEAP, lengthBytes);
    }

    @Override
    public void close() {
        orders.add(END);
        Ours.join(run);
    }
}
