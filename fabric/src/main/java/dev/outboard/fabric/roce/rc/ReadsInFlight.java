package dev.outboard.fabric.roce.rc;

/// The READs and atomics of a requester whose responses are under way, oldest first: the peer
/// serves a limited number at a time (roce.md 3.8). Each is known by the packet number behind its
/// last response.
final class ReadsInFlight {
    private long[] ends;
    private int first;
    private int count;

    /// None of at most `limit`.
    ReadsInFlight(int limit) {
        ends = new long[limit];
    }

    boolean isEmpty() {
        return count == 0;
    }

    int count() {
        return count;
    }

    /// Makes room for at most `limit`.
    void limit(int limit) {
        if (limit > ends.length) {
            long[] larger = new long[limit];
            for (int i = 0; i < count; i++) {
                larger[i] = ends[(first + i) % ends.length];
            }
            ends = larger;
            first = 0;
        }
    }

    void add(long end) {
        ends[(first + count) % ends.length] = end;
        count++;
    }

    /// All responses before packet `end` have arrived.
    void answeredBefore(long end) {
        while (count > 0 && ends[first] <= end) {
            first = (first + 1) % ends.length;
            count--;
        }
    }

    /// Everything from `packet` on will be asked for again.
    void goBackTo(long packet) {
        while (count > 0 && ends[(first + count - 1) % ends.length] > packet) {
            count--;
        }
    }
}
