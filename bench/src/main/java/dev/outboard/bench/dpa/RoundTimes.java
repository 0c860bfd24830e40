package dev.outboard.bench.dpa;

import java.util.Arrays;

/// The median time of a round, the same for kernels and plain loops. Rounds are so short that
/// others, who take the processor now and then, do not meet most of them.
final class RoundTimes {
    private static final int KEPT = 1 << 16;

    private RoundTimes() {}

    /// Does rounds for `nanos`.
    ///
    /// @return the median of the latest, in nanoseconds
    static long median(long nanos, Runnable round) {
        long[] times = new long[KEPT];
        int rounds = 0;
        long start = System.nanoTime();
        long before = start;
        do {
            round.run();
            long now = System.nanoTime();
            times[rounds++ % KEPT] = now - before;
            before = now;
        } while (before - start < nanos);
        int kept = Math.min(rounds, KEPT);
        Arrays.sort(times, 0, kept);
        return times[kept / 2];
    }
}
