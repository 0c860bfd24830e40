package dev.outboard.dpa.model;

import java.util.Arrays;

/// DPA-OPM-2: the doorbells that have arrived. Immutable.
///
/// @param counts how often each has
/// @param order if anybody asks for it, 4 bits for each that arrived, the first one lowest
/// @param total how many have arrived
record Arrivals(int[] counts, long order, int total) {
    private static final int BITS = 4;

    /// How many may arrive where their order is asked for.
    static final int MOST = Long.SIZE / BITS - 1;

    static Arrivals none(int doorbells) {
        return new Arrivals(new int[doorbells], 0, 0);
    }

    /// With more doorbells that may arrive.
    Arrivals withMore(int doorbells) {
        return new Arrivals(Arrays.copyOf(counts, counts.length + doorbells), order, total);
    }

    Arrivals with(int doorbell, boolean watched) {
        int[] more = counts.clone();
        more[doorbell]++;
        if (!watched) {
            return new Arrivals(more, 0, total + 1);
        }
        if (total == MOST) {
            throw new IllegalStateException(
                    "More than %d doorbells arrive, and their order is asked for".formatted(MOST));
        }
        return new Arrivals(more, order | ((long) doorbell << (BITS * total)), total + 1);
    }

    /// The order as one number: how many, then each.
    long asNumber() {
        return (order << BITS) | total;
    }

    /// The doorbells that such a number tells, in their order.
    static int[] of(long number) {
        int mask = (1 << BITS) - 1;
        int[] doorbells = new int[(int) number & mask];
        for (int i = 0; i < doorbells.length; i++) {
            doorbells[i] = (int) (number >>> (BITS * (i + 1))) & mask;
        }
        return doorbells;
    }

    void digest(Digest digest) {
        for (int count : counts) {
            digest.add(count);
        }
        digest.add(order);
    }
}
