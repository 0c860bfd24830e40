package dev.outboard.bench;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/// The round-trip times of one subject over all runs: a histogram of all of them, and the median of
/// each run, whose spread tells how far the numbers can be trusted. One thread writes.
final class Timings {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Histogram all = new Histogram(SIGNIFICANT_DIGITS);
    private final Histogram run = new Histogram(SIGNIFICANT_DIGITS);
    private final List<Long> medians = new ArrayList<>();

    /// Adds one round trip to the current run.
    void add(long nanos) {
        run.recordValue(nanos);
    }

    /// Ends the current run; it had at least one round trip.
    void endRun() {
        medians.add(run.getValueAtPercentile(50));
        all.add(run);
        run.reset();
    }

    Summary summary() {
        List<Long> sorted = medians.stream().sorted().toList();
        long count = all.getTotalCount();
        long median = sorted.get(sorted.size() / 2);
        long lowestMedian = sorted.getFirst();
        long highestMedian = sorted.getLast();
        long p50 = all.getValueAtPercentile(50);
        long p90 = all.getValueAtPercentile(90);
        long p99 = all.getValueAtPercentile(99);
        long p999 = all.getValueAtPercentile(99.9);
        long max = all.getMaxValue();
        return new Summary(count, median, lowestMedian, highestMedian, p50, p90, p99, p999, max);
    }

    /// Everything in nanoseconds.
    ///
    /// @param count round trips in all runs
    /// @param median the median of the runs' medians
    /// @param lowestMedian the best run
    /// @param highestMedian the worst run
    record Summary(
            long count,
            long median,
            long lowestMedian,
            long highestMedian,
            long p50,
            long p90,
            long p99,
            long p999,
            long max) {}
}
