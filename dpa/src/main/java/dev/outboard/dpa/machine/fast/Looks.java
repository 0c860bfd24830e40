package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.unit.UnitCounters;

/// The looks of a thread at what others change, as long as they are in vain.
final class Looks {
    /// Who does more between two looks has found something, in shares of the budget.
    private static final int OPERATIONS_OF_A_LOOK = 128;

    private static final int LOOKS_BEFORE_NAP = 2000;
    private static final long NAP_NANOS = 20_000;
    private static final long LONGEST_NAP_NANOS = 1_000_000;

    private int inVain;
    private int budgetAtLook;

    /// When the first of them was, and the cycles of the thread then.
    private long beganNanos;

    private long cyclesAtBegin;

    /// Counts one more.
    ///
    /// @param budget how much of it is left
    /// @return whether it is the first
    boolean isFirst(int budget) {
        inVain = budgetAtLook - budget <= OPERATIONS_OF_A_LOOK ? inVain + 1 : 0;
        return inVain == 1;
    }

    /// The first begins.
    void begin(long cycles) {
        beganNanos = System.nanoTime();
        cyclesAtBegin = cycles;
    }

    void looked(int budget) {
        budgetAtLook = budget;
    }

    boolean areInVain() {
        return inVain > 0;
    }

    void end() {
        inVain = 0;
    }

    /// How long to sleep before the next; 0 if there were few.
    long napNanos() {
        int many = inVain - LOOKS_BEFORE_NAP;
        return many > 0 ? Math.min(many * NAP_NANOS, LONGEST_NAP_NANOS) : 0;
    }

    /// DPA-KL-11: looks in vain cost more cycles than they take time here. What a thread is charged
    /// for them is that time, since what it waits for takes no less.
    ///
    /// @param cycles of the thread
    /// @return those that are charged
    long charged(long cycles) {
        if (inVain == 0) {
            return cycles;
        }
        long waited = UnitCounters.cycles(System.nanoTime() - beganNanos);
        return Math.min(cycles, cyclesAtBegin + waited);
    }
}
