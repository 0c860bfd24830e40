package dev.outboard.bench.comparison;

import org.HdrHistogram.Histogram;

/// The median of many round trips, measured one after the other.
public final class RoundTripTimes {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Histogram times = new Histogram(SIGNIFICANT_DIGITS);

    /// No trips yet.
    public RoundTripTimes() {}

    /// Makes trips for `nanos`.
    ///
    /// @return the median time of one, in nanoseconds
    public double median(long nanos, Runnable trip) {
        times.reset();
        long start = System.nanoTime();
        long before = start;
        do {
            trip.run();
            long after = System.nanoTime();
            times.recordValue(after - before);
            before = after;
        } while (before - start < nanos);
        return times.getValueAtPercentile(50);
    }
}
