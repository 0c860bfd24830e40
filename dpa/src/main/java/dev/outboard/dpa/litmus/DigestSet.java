package dev.outboard.dpa.litmus;

/// A set of digests of 128 bits: a table of places, of which the first free one after the one that
/// the digest names is taken.
final class DigestSet {
    private static final int FIRST_PLACES = 1 << 10;

    private long[] places = new long[2 * FIRST_PLACES];
    private int size;

    /// Adds a digest, unless it is there.
    ///
    /// @return whether it was not
    boolean add(long high, long low) {
        // 0 0 marks a free place.
        long second = high == 0 && low == 0 ? 1 : low;
        if (!insert(places, high, second)) {
            return false;
        }
        size++;
        if (4L * size > places.length) {
            grow();
        }
        return true;
    }

    private static boolean insert(long[] places, long high, long low) {
        int mask = places.length - 1;
        int at = ((int) high << 1) & mask;
        while (places[at] != 0 || places[at + 1] != 0) {
            if (places[at] == high && places[at + 1] == low) {
                return false;
            }
            at = (at + 2) & mask;
        }
        places[at] = high;
        places[at + 1] = low;
        return true;
    }

    private void grow() {
        long[] larger = new long[2 * places.length];
        for (int i = 0; i < places.length; i += 2) {
            if (places[i] != 0 || places[i + 1] != 0) {
                insert(larger, places[i], places[i + 1]);
            }
        }
        places = larger;
    }

    /// How many there are.
    int size() {
        return size;
    }
}
