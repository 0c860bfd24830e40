package dev.outboard.bench.ccip;

import java.util.function.LongSupplier;

/// How fast cycles of a port pass.
final class CycleRate {
    private CycleRate() {}

    /// Does `portion` again and again for about `nanos`.
    ///
    /// @param cycle how many cycles there have been
    /// @return cycles per second
    static double measure(long nanos, LongSupplier cycle, Runnable portion) {
        long start = System.nanoTime();
        long first = cycle.getAsLong();
        while (System.nanoTime() - start < nanos) {
            portion.run();
        }
        return (cycle.getAsLong() - first) * 1e9 / (System.nanoTime() - start);
    }
}
