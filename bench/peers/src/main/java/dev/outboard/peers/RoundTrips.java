package dev.outboard.peers;

import java.util.Arrays;

/// The median of many round trips.
final class RoundTrips {
    private static final int MAX_SAMPLES = 1 << 21;

    private final long[] samples = new long[MAX_SAMPLES];
    private int count;

    /// One round trip.
    interface Trip {
        void make() throws Exception;
    }

    /// Makes trips for `nanos`.
    double median(long nanos, Trip trip) throws Exception {
        reset();
        long start = System.nanoTime();
        long before = start;
        do {
            trip.make();
            long after = System.nanoTime();
            add(after - before);
            before = after;
        } while (before - start < nanos);
        return median();
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
        Arrays.sort(samples, 0, count);
        return samples[count / 2];
    }
}
