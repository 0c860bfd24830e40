package dev.outboard.dpa.kernel;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaGlobalVar;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;
import dev.outboard.dpacc.DpaType;

/// A program of marked methods: workers add numbers up and count how many they are.
@DpaProgram("sums")
final class Sums {
    private static final int NUMBER_BYTES = 4;

    @DpaGlobalVar(bytes = 4)
    static DpaAddr unused;

    @DpaGlobalVar(bytes = 8)
    static DpaAddr workers;

    /// Numbers in DPA memory.
    @DpaType
    record Numbers(boolean negated, DpaAddr first, int count) {}

    private Sums() {}

    /// Adds the numbers, times a factor, to the sum.
    @DpaGlobal
    static void add(DpaThread thread, short factor, Numbers numbers, DpaAddr sum) {
        long total = 0;
        for (int i = 0; i < numbers.count(); i++) {
            total += thread.load32(numbers.first().value() + (long) NUMBER_BYTES * i);
        }
        long signed = factor * (numbers.negated() ? -total : total);
        thread.atomic64(AtomicOp.ADD, sum.value(), signed, AtomicOrder.RELAXED);
        thread.atomic64(AtomicOp.ADD, workers.value(), 1, AtomicOrder.RELAXED);
    }

    /// How many have added something.
    @DpaRpc
    static long workers(DpaThread thread) {
        return thread.load64(workers.value());
    }
}
