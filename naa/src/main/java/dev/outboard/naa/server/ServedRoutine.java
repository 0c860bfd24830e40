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

    /// What all routines that a server has offered under one name have done.
    private record Sums(
            LongAdder calls,
            LongAdder errors,
            LongAdder overruns,
            LongAdder nanos,
            LongAccumulator longest) {}

    private final RoutineSpec spec;
    private final Sums sums;
    private final RoutineUsers users;
    private final AtomicInteger offence = new AtomicInteger();
    private volatile boolean moved;

    private ServedRoutine(RoutineSpec spec, Sums sums, RoutineUsers users) {
        this.spec = spec;
        this.sums = sums;
        this.users = users;
    }

    /// One that has done nothing yet.
    ///
    /// @param users of the offer that it belongs to
    static ServedRoutine of(RoutineSpec spec, RoutineUsers users) {
        LongAccumulator longest = new LongAccumulator(Math::max, 0);
        return new ServedRoutine(
                spec,
                new Sums(
                        new LongAdder(),
                        new LongAdder(),
                        new LongAdder(),
                        new LongAdder(),
                        longest),
                users);
    }

    /// One in the place of this, which goes on counting where this one does.
    ServedRoutine followedBy(RoutineSpec next, RoutineUsers others) {
        return new ServedRoutine(next, sums, others);
    }

    RoutineSpec spec() {
        return spec;
    }

    /// A call begins to use it; see [RoutineUsers#enter].
    boolean enter() {
        return users.enter();
    }

    /// A call uses it no more: it has ended, or will not begin.
    void leave() {
        users.leave();
    }

    /// Whether it runs on the thread that polls the connection.
    boolean isShort() {
        return spec.isShort() && !moved;
    }

    /// A run has ended, or nobody waits for it any more.
    void ran(long took, boolean succeeded) {
        sums.calls.increment();
        sums.nanos.add(took);
        sums.longest.accumulate(took);
        if (!succeeded) {
            sums.errors.increment();
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
        sums.overruns.increment();
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
    void addTo(Map<String, Long> all) {
        String prefix = "routine." + spec.name() + ".";
        all.put(prefix + "calls", sums.calls.sum());
        all.put(prefix + "errors", sums.errors.sum());
        all.put(prefix + "nanos", sums.nanos.sum());
        all.put(prefix + "longest-nanos", sums.longest.get());
        all.put(prefix + "overruns", sums.overruns.sum());
        all.put(prefix + "moved", moved ? 1L : 0L);
    }
}
