package dev.outboard.ccip.host;

import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.fiu.MmioRequest;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Where calls of the host meet the clock: under one lock, between two cycles. A call that waits
/// lets cycles pass itself, or leaves that to a [Runner]. It belongs to an [Fpga].
final class Clocking {
    /// For a wait that another deadline ends.
    static final long NO_LIMIT = Long.MAX_VALUE / 2;

    private final Simulation simulation;
    private final ReentrantLock lock = new ReentrantLock(true);
    private @Nullable Runner runner;
    private boolean closed;

    Clocking(Simulation simulation) {
        this.simulation = simulation;
    }

    /// The simulation, of which only what never changes may be used without the lock.
    Simulation simulation() {
        return simulation;
    }

    /// Does something between two cycles, also when closed.
    <T> T locked(Function<Simulation, T> action) {
        lock.lock();
        try {
            return action.apply(simulation);
        } finally {
            lock.unlock();
        }
    }

    /// Does something with the open port between two cycles.
    ///
    /// CCIP-HST-8: a call takes effect between two cycles.
    <T> T call(Function<Simulation, T> action) {
        lock.lock();
        try {
            if (closed) {
                throw new FpgaException(
                        FpgaException.Reason.INVALID_STATE, "The handle of the AFU is closed");
            }
            T result = action.apply(simulation);
            Runner running = runner;
            if (running != null) {
                running.called();
            }
            return result;
        } finally {
            lock.unlock();
        }
    }

    /// Does something with the open port between two cycles.
    void run(Consumer<Simulation> action) {
        call(port -> {
            action.accept(port);
            return port;
        });
    }

    /// Waits until something holds, which is asked between cycles.
    ///
    /// @throws FpgaException if it does not hold within so many cycles, with a runner also not
    ///   within its patience
    void await(String what, BooleanSupplier done, long cycles) {
        run(port -> awaitLocked(what, done, cycles));
    }

    /// Waits until nothing more will become of a request.
    MmioRequest await(MmioRequest request) {
        await(request.toString(), request::isDone, NO_LIMIT);
        return request;
    }

    private void awaitLocked(String what, BooleanSupplier done, long cycles) {
        long began = simulation.cycle();
        Runner running = runner;
        boolean held =
                (running == null || running.isCurrentThread())
                        ? simulation.stepUntilDone(what, done, cycles)
                        : running.await(done, cycles);
        if (held) {
            return;
        }
        boolean stalled = simulation.watchdog().isStalled();
        throw new FpgaException(
                stalled ? FpgaException.Reason.STALLED : FpgaException.Reason.TIMEOUT,
                "Waited from cycle "
                        + began
                        + " to "
                        + simulation.cycle()
                        + " for "
                        + what
                        + ", in vain; the port carried something last in cycle "
                        + simulation.watchdog().lastActive()
                        + simulation
                                .errors()
                                .first()
                                .map(error -> ", and refuses requests since this error: " + error)
                                .orElse(""));
    }

    /// Lets this many cycles pass.
    void step(long cycles) {
        run(port -> {
            requireNoRunner();
            port.step(cycles);
        });
    }

    /// Leaves the clock to a thread.
    Runner start() {
        return call(port -> {
            requireNoRunner();
            Runner started = new Runner(this, port, lock);
            runner = started;
            return started;
        });
    }

    private void requireNoRunner() {
        if (runner != null) {
            throw new FpgaException(
                    FpgaException.Reason.INVALID_STATE, "A runner clocks the simulation");
        }
    }

    /// Under the lock: a runner has stopped.
    void stopped(Runner ended) {
        if (runner == ended) {
            runner = null;
        }
    }

    /// Refuses all calls from now on. A runner ends.
    void close() {
        locked(port -> Optional.ofNullable(runner)).ifPresent(Runner::close);
        locked(port -> closed = true);
    }

    /// Tells the checker what the host found.
    void report(Violation violation, String detail) {
        run(port -> port.checker().report(violation, port.cycle(), detail));
    }

    /// An error of the program, which is counted too.
    FpgaException misuse(Violation violation, FpgaException.Reason reason, String message) {
        report(violation, message);
        return new FpgaException(reason, message);
    }
}
