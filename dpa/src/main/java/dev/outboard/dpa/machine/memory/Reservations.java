package dev.outboard.dpa.machine.memory;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/// DPA-OPM-8: the granules of 8 bytes that threads have reserved. A store of anybody else to a
/// reserved granule ends the reservation, even one that changes nothing. Whoever stores while
/// [#any] holds its monitor during the store and the call of [#end]; whoever reserves holds it
/// during the call of [#reserve] and the load: so no reservation ends by a store that its load has
/// seen.
///
/// A store that finds no reservation at all need not look further. If a reservation is made just
/// after it has looked, the load of that reservation either sees the store or counts as later than
/// it: nobody can tell, since the one that stores did nothing in between.
public final class Reservations {
    private static final long NONE = 0;
    private static final long GRANULE = ~7L;
    private static final int FIRST_THREADS = 16;

    /// Granule of each thread that holds one.
    private long[] granules = new long[FIRST_THREADS];

    private final AtomicInteger held = new AtomicInteger();

    /// Whether anybody holds a reservation.
    public boolean any() {
        return held.get() != 0;
    }

    /// The thread reserves the granule, and loses what it has reserved before. Its load comes after
    /// this.
    public synchronized void reserve(int thread, long address) {
        if (thread >= granules.length) {
            granules = Arrays.copyOf(granules, 2 * thread);
        }
        release(thread);
        granules[thread] = address & GRANULE;
        held.getAndIncrement();
    }

    /// Whether the thread holds a reservation of the granule.
    public synchronized boolean holds(int thread, long address) {
        return thread < granules.length && granules[thread] == (address & GRANULE);
    }

    /// Somebody stores: ends the reservations that others have of the granule.
    ///
    /// @param by the thread, or a negative number for an actor outside
    public synchronized void end(long address, int by) {
        for (int thread = 0; thread < granules.length; thread++) {
            if (thread != by && granules[thread] == (address & GRANULE)) {
                release(thread);
            }
        }
    }

    /// Ends what the thread has reserved.
    public synchronized void release(int thread) {
        if (thread < granules.length && granules[thread] != NONE) {
            granules[thread] = NONE;
            held.getAndDecrement();
        }
    }
}
