package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.unit.UnitCounters;
import dev.outboard.dpa.machine.unit.UnitScheduler;
import java.util.concurrent.locks.ReentrantLock;

/// DPA-HW-17: the execution units of a machine under FAST, which all its processes share. Threads
/// that have a unit are virtual threads, and those have as many carriers as there are processors.
public final class FastMachine {
    private final ReentrantLock lock = new ReentrantLock();
    private final UnitScheduler<FastActivity> units;
    private final UnitCounters[] counters;
    private final Carriers carriers = new Carriers(Runtime.getRuntime().availableProcessors());

    /// How many have begun.
    private int processes;

    /// How many of them have not ended.
    private int living;

    /// A machine without processes.
    public FastMachine(MachineOptions options) {
        units = new UnitScheduler<>(options.units());
        counters = new UnitCounters[options.units().total()];
        for (int unit = 0; unit < counters.length; unit++) {
            counters[unit] = new UnitCounters(options.seed(), unit, options.timing().tickNanos());
        }
    }

    /// A process begins.
    void begin() {
        processes++;
        living++;
    }

    /// The only process there has ever been is over: whoever is left may run at once.
    void end() {
        if (processes == 1) {
            carriers.open();
        }
    }

    /// A process has ended, and nobody of it runs any more.
    void leave() {
        living--;
        if (living == 0) {
            carriers.dismiss();
        }
    }

    /// Guards who runs where, in all processes.
    ReentrantLock lock() {
        return lock;
    }

    Carriers carriers() {
        return carriers;
    }

    /// Guarded by the lock.
    UnitScheduler<FastActivity> units() {
        return units;
    }

    /// Of the thread that has the unit.
    UnitCounters counters(int unit) {
        return counters[unit];
    }

    /// The unit goes to the next one that waits for it.
    void pass(int unit) {
        FastActivity next = units.release(unit);
        if (next != null) {
            next.dispatch(unit);
        }
    }
}
