package dev.outboard.dpa.machine.unit;

import dev.outboard.dpa.machine.Affinity;
import dev.outboard.dpa.machine.UnitGrid;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Iterator;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// DPA-HW-2: which thread runs on which execution unit. A unit runs one thread until that gives it
/// back. Not safe for use by several threads at once: its owner guards it.
///
/// @param <T> what stands for a thread
public final class UnitScheduler<T> {

    /// No unit.
    public static final int NONE = -1;

    private final BitSet free = new BitSet();

    /// In the order of their activation.
    private final Queue<Waiting<T>> waiting = new ArrayDeque<>();

    /// All units of users are free.
    public UnitScheduler(UnitGrid units) {
        free.set(0, units.usable());
    }

    /// A thread has become runnable.
    ///
    /// @return the unit that it gets, or [#NONE] if it has to wait
    public int activate(T thread, Affinity affinity) {
        // A unit that is free suits none of those that wait, so nobody is overtaken.
        for (int unit = free.nextSetBit(0); unit >= 0; unit = free.nextSetBit(unit + 1)) {
            if (affinity.allows(unit)) {
                free.clear(unit);
                return unit;
            }
        }
        waiting.add(new Waiting<>(thread, affinity));
        return NONE;
    }

    /// DPA-HW-5: the unit goes to the thread that was activated first among those that may run on
    /// it.
    ///
    /// @return that thread, or null if the unit is free now
    public @Nullable T release(int unit) {
        for (Iterator<Waiting<T>> i = waiting.iterator(); i.hasNext(); ) {
            Waiting<T> next = i.next();
            if (next.affinity.allows(unit)) {
                i.remove();
                return next.thread;
            }
        }
        free.set(unit);
        return null;
    }

    /// The thread does not wait for a unit any more.
    ///
    /// @return whether it did
    public boolean cancel(T thread) {
        return waiting.removeIf(one -> one.thread.equals(thread));
    }

    /// Whether a thread waits that could run on that unit.
    public boolean isWanted(int unit) {
        for (Waiting<T> thread : waiting) {
            if (thread.affinity.allows(unit)) {
                return true;
            }
        }
        return false;
    }

    /// How many threads wait for a unit.
    public int waiting() {
        return waiting.size();
    }

    private record Waiting<T>(T thread, Affinity affinity) {}
}
