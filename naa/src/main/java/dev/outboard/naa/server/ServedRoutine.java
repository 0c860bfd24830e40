package dev.outboard.naa.server;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/// A routine as a server runs it: what it has done so far and, if it says that it is short, whether
/// that can be believed. The threads of all connections use it.
///
/// Every run on a polling thread that takes too long counts 16, every other takes 1 back. At 128
/// the routine is moved to the workers for good. So a routine that is interrupted by the machine
/// now and then stays, and one that takes too long in more than one of 17 runs goes.
final class ServedRoutine {
    private static final int OVERRUN = 16;
    private static final int TOO_MANY = 128;

    private final RoutineSpec spec;
    private final LongAdder calls = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final LongAdder overruns = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAccumulator longest = new LongAccumulator(Math::max, 0);
    private final AtomicInteger offence = new AtomicInteger();
    private volatile boolean moved;

    ServedRoutine(RoutineSpec spec) {
        this.spec = spec;
    }

    RoutineSpec spec() {
        return spec;
    }

    /// Whether it runs on the thread that polls the connection.
    boolean isShort() {
        return spec.isShort() && !moved;
    }

    /// A run has ended, or nobody waits for it any more.
    void ran(long took, boolean succeeded) {
        calls.increment();
        nanos.add(took);
        longest.accumulate(took);
        if (!succeeded) {
            errors.increment();
        }
    }

    /// A run on a polling thread was as short as it should be.
    void keptShort() {
        if (offence.get() > 0) {
            offence.updateAndGet(sum -> Math.max(0, sum - 1));
        }
    }

    /// A run on a polling thread took too long.
    ///
    /// @return whether that moves the routine to the workers
    boolean overran() {
        overruns.increment();
        return offence.addAndGet(OVERRUN) >= TOO_MANY && move();
    }

    /// From now on it runs on the workers.
    ///
    /// @return false if it did before
    synchronized boolean move() {
        boolean before = moved;
        moved = true;
        return !before;
    }

    /// Adds what it counted by name.
    void addTo(Map<String, Long> sums) {
        String prefix = "routine." + spec.name() + ".";
        sums.put(prefix + "calls", calls.sum());
        sums.put(prefix + "errors", errors.sum());
        sums.put(prefix + "nanos", nanos.sum());
        sums.put(prefix + "longest-nanos", longest.get());
        sums.put(prefix + "overruns", overruns.sum());
        sums.put(prefix + "moved", moved ? 1L : 0L);
    }
}
