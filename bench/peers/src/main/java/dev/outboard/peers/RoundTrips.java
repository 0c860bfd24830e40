package dev.outboard.peers;

import java.util.Arrays;

/// The median of many round trips.
final class RoundTrips {
    private static final int MAX_SAMPLES = 1 << 21;

    private final long[] samples = new long[MAX_SAMPLES];

    /// One round trip.
    interface Trip {
        void make() throws Exception;
    }

    double median(long nanos, Trip trip) throws Exception {
        int count = 0;
        long start = System.nanoTime();
        long before = start;
        while (before - start < nanos && count < MAX_SAMPLES) {
            trip.make();
            long after = System.nanoTime();
            samples[count++] = after - before;
            before = after;
        }
        Arrays.sort(samples, 0, count);
        return samples[count / 2];
    }
}
