package dev.outboard.ccip.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A thread that clocks a simulation while threads of the host call its [Fpga] and use its buffers,
/// as beside a card that has a clock of its own. A call takes effect between two cycles; a thread
/// that spins on a buffer sees the AFU's writes without doing anything for it.
///
/// It ends when it is closed, or when the run ends with an exception, which every call then gets as
/// its cause. What happens in which cycle depends on the threads: the same run does not come again.
///
/// ```java
/// try (Fpga fpga = Fpga.open(simulation, AFU_ID);
///         Runner runner = fpga.run()) {
///     fpga.writeMmio64(START, 1);
///     fpga.waitForInterrupt(0, 1_000_000);
/// }
/// ```
public final class Runner implements AutoCloseable {
    /// A wait lasts at least this long in real time, however many cycles have passed.
    public static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(30);

    private static final int CHUNK = 64;
    private static final long IDLE_NANOS = 50_000;

    private final Clocking clocking;
    private final Simulation simulation;
    private final ReentrantLock lock;
    private final Condition hostCalled;
    private final Condition waitIsOver;
    private final List<Wait> waits = new ArrayList<>();
    private final Thread thread;
    private long patienceNanos = DEFAULT_PATIENCE.toNanos();
    private boolean closing;
    private @Nullable Throwable failure;

    Runner(Clocking clocking, Simulation simulation, ReentrantLock lock) {
        this.clocking = clocking;
        this.simulation = simulation;
        this.lock = lock;
        hostCalled = lock.newCondition();
        waitIsOver = lock.newCondition();
        thread = Thread.ofPlatform().daemon().name("ccip-runner").start(this::run);
    }

    /// How long a wait lasts at least in real time.
    public void patience(Duration duration) {
        lock.lock();
        try {
            patienceNanos = duration.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /// Stops the clock after the present cycle. Calls of the [Fpga] step it themselves again.
    @Override
    public void close() {
        lock.lock();
        try {
            closing = true;
            hostCalled.signalAll();
            clocking.stopped(this);
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// Whether a condition that somebody waits for is asked just now, and calls itself.
    boolean isCurrentThread() {
        return thread.equals(Thread.currentThread());
    }

    /// Under the lock: somebody has done something that the AFU may see.
    void called() {
        hostCalled.signal();
    }

    /// Under the lock, which others may take meanwhile: waits until `done`, or until both `cycles`
    /// and the patience are over.
    ///
    /// @return whether it is done
    boolean await(BooleanSupplier done, long cycles) {
        Wait wait = new Wait(done, simulation.cycle() + cycles, System.nanoTime() + patienceNanos);
        waits.add(wait);
        called();
        while (!wait.over && failure == null && !closing) {
            waitIsOver.awaitUninterruptibly();
        }
        waits.remove(wait);
        if (!wait.done && failure != null) {
            throw new FpgaException(
                    FpgaException.Reason.RUN_ENDED,
                    "The run has ended in cycle "
                            + simulation.cycle()
                            + ": "
                            + failure.getMessage(),
                    failure);
        }
        return wait.done;
    }

    private void run() {
        lock.lock();
        try {
            while (!closing) {
                if (simulation.isQuiet(CHUNK)) {
                    hostCalled.awaitNanos(IDLE_NANOS);
                }
                simulation.step(CHUNK);
                endWaits();
                letOthersIn();
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            failure = e;
        } finally {
            waitIsOver.signalAll();
            lock.unlock();
        }
    }

    private void endWaits() {
        boolean ended = false;
        for (int i = 0; i < waits.size(); i++) {
            ended |= waits.get(i).isOver(simulation.cycle());
        }
        if (ended) {
            waitIsOver.signalAll();
        }
    }

    /// The lock is fair: who waits for it gets it first.
    private void letOthersIn() {
        if (lock.hasQueuedThreads()) {
            lock.unlock();
            lock.lock();
        }
    }

    private static final class Wait {
        private final BooleanSupplier condition;
        private final long deadlineCycle;
        private final long deadlineNanos;
        private boolean done;
        private boolean over;

        Wait(BooleanSupplier condition, long deadlineCycle, long deadlineNanos) {
            this.condition = condition;
            this.deadlineCycle = deadlineCycle;
            this.deadlineNanos = deadlineNanos;
        }

        boolean isOver(long cycle) {
            if (!over) {
                done = condition.getAsBoolean();
                over = done || (cycle >= deadlineCycle && System.nanoTime() - deadlineNanos >= 0);
            }
            return over;
        }
    }
}
