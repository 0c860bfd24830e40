package dev.outboard.dpa.trace;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Of a machine: where a trace of all its processes is begun. Any thread may use it.
public final class Tracer {
    private final String clockName;
    private final LongSupplier clock;
    private volatile @Nullable Trace current;

    /// A tracer that nobody uses yet.
    ///
    /// @param clockName what readers of a trace are told of the clock
    /// @param clock nanoseconds that never go back
    public Tracer(String clockName, LongSupplier clock) {
        this.clockName = clockName;
        this.clock = clock;
    }

    /// One by the clock of the machine that all its processes share, [System#nanoTime].
    public static Tracer monotonic() {
        return new Tracer("monotonic clock", System::nanoTime);
    }

    /// Begins a trace.
    ///
    /// @param mostEvents what comes after so many is only counted
    /// @throws IllegalStateException if one is being taken
    public synchronized Trace start(int mostEvents) {
        if (current != null) {
            throw new IllegalStateException(
                    "A trace of the device is being taken already: end that first");
        }
        Trace started = new Trace(this, mostEvents);
        current = started;
        return started;
    }

    synchronized void end(Trace ended) {
        if (ended.equals(current)) {
            current = null;
        }
    }

    /// The trace that is being taken, if any is.
    @Nullable Trace current() {
        return current;
    }

    String clockName() {
        return clockName;
    }

    long nanos() {
        return clock.getAsLong();
    }
}
