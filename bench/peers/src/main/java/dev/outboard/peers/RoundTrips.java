package dev.outboard.peers;

import java.util.Arrays;

/// How long many round trips take.
final class RoundTrips {
    private static final int MAX_SAMPLES = 1 << 21;

    private final long[] samples = new long[MAX_SAMPLES];
    private int count;

    /// One round trip.
    interface Trip {
        void make() throws Exception;
    }

    /// The median of trips that are made for `nanos`.
    double median(long nanos, Trip trip) throws Exception {
        return percentile(50, nanos, trip);
    }

    /// How long so many of a hundred trips take at most, of those that are made for `nanos`.
    double percentile(int percent, long nanos, Trip trip) throws Exception {
        reset();
        long start = System.nanoTime();
        long before = start;
        do {
            trip.make();
            long after = System.nanoTime();
            add(after - before);
            before = after;
        } while (before - start < nanos);
        return percentile(percent);
    }

    void reset() {
        count = 0;
    }

    /// Counts a trip; there are not too many in any time that is measured.
    void add(long nanos) {
        if (count < MAX_SAMPLES) {
            samples[count++] = nanos;
        }
    }

    double median() {
        return percentile(50);
    }

    private double percentile(int percent) {
        Arrays.sort(samples, 0, count);
        return samples[(int) ((long) count * percent / 100)];
    }
}
