package dev.outboard.dpa.model;

import dev.outboard.dpa.machine.Profile;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What the memory knows of one DPA thread: its pending writes, the operations it has executed that
/// order them, its cached copies of external memory, and which of its writes the NIC does not see.
/// Immutable once it is part of a state; a change makes another one.
final class ThreadMemory {
    private static final Write[] NO_WRITES = {};
    private static final Unseen[] NOTHING_UNSEEN = {};
    private static final Copy[] NO_COPIES = {};
    private static final int NO_RESERVATION = -1;

    /// The oldest first.
    private Write[] pending = NO_WRITES;

    /// By granule.
    private Unseen[] unseen = NOTHING_UNSEEN;

    /// Found when it is asked for.
    private @Nullable Unseen oldestUnseen;

    /// By granule.
    private Copy[] copies = NO_COPIES;

    private Log log = Log.EMPTY;
    private int nextNumber;
    private int reserved = NO_RESERVATION;
    private boolean wroteMmio;
    private boolean digested;
    private long digestHigh;
    private long digestLow;

    ThreadMemory() {}

    private ThreadMemory copy() {
        ThreadMemory copy = new ThreadMemory();
        copy.pending = pending;
        copy.unseen = unseen;
        copy.oldestUnseen = oldestUnseen;
        copy.copies = copies;
        copy.log = log;
        copy.nextNumber = nextNumber;
        copy.reserved = reserved;
        copy.wroteMmio = wroteMmio;
        return copy;
    }

    Write[] pending() {
        return pending;
    }

    Unseen[] unseen() {
        return unseen;
    }

    Copy[] copies() {
        return copies;
    }

    Log log() {
        return log;
    }

    int nextNumber() {
        return nextNumber;
    }

    /// Whether it has ever written to a window or a doorbell.
    boolean wroteMmio() {
        return wroteMmio;
    }

    /// The reserved granule, or a negative number.
    int reserved() {
        return reserved;
    }

    // Changes

    ThreadMemory with(Log changed) {
        if (changed == log) {
            return this;
        }
        ThreadMemory copy = copy();
        copy.log = changed;
        return copy;
    }

    ThreadMemory withReservation(int granule) {
        ThreadMemory copy = copy();
        copy.reserved = granule;
        return copy;
    }

    ThreadMemory withoutReservation() {
        return withReservation(NO_RESERVATION);
    }

    /// A write with the next number, which no list holds.
    Write write(
            Kind kind, int target, int mask, long value, int[] bounds, @Nullable RestOfLine rest) {
        return new Write(nextNumber, kind, target, mask, value, bounds, rest);
    }

    /// DPA-OPM-1: the write is issued, and nothing else happens yet.
    ThreadMemory issue(Write write) {
        ThreadMemory copy = copy();
        copy.pending = Arrays.copyOf(pending, pending.length + 1);
        if (write.kind() == Kind.WINDOW) {
            for (int i = 0; i < pending.length; i++) {
                copy.pending[i] = pending[i].without(write);
            }
        }
        copy.pending[pending.length] = write;
        copy.nextNumber = nextNumber + 1;
        copy.wroteMmio |= !write.kind().isMemory();
        return copy;
    }

    /// The write was never pending: an atomic.
    ThreadMemory skipNumber() {
        ThreadMemory copy = copy();
        copy.nextNumber = nextNumber + 1;
        return copy;
    }

    ThreadMemory withoutPending(int index) {
        ThreadMemory copy = copy();
        copy.pending = new Write[pending.length - 1];
        System.arraycopy(pending, 0, copy.pending, 0, index);
        System.arraycopy(pending, index + 1, copy.pending, index, copy.pending.length - index);
        return copy;
    }

    /// A performed write to DPA memory that the NIC does not see.
    ThreadMemory hide(Write write) {
        int at = indexOfUnseen(write.target());
        ThreadMemory copy = copy();
        copy.oldestUnseen = null;
        if (at >= 0) {
            copy.unseen = unseen.clone();
            copy.unseen[at] = unseen[at].and(write);
        } else {
            int place = -at - 1;
            copy.unseen = new Unseen[unseen.length + 1];
            System.arraycopy(unseen, 0, copy.unseen, 0, place);
            copy.unseen[place] = Unseen.of(write);
            System.arraycopy(unseen, place, copy.unseen, place + 1, unseen.length - place);
        }
        return copy;
    }

    /// The NIC sees the granule.
    ThreadMemory show(int granule) {
        int at = indexOfUnseen(granule);
        if (at < 0) {
            return this;
        }
        ThreadMemory copy = copy();
        copy.oldestUnseen = null;
        copy.unseen = new Unseen[unseen.length - 1];
        System.arraycopy(unseen, 0, copy.unseen, 0, at);
        System.arraycopy(unseen, at + 1, copy.unseen, at, copy.unseen.length - at);
        return copy;
    }

    /// The index, or -(where it would be) - 1.
    int indexOfUnseen(int granule) {
        int low = 0;
        int high = unseen.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (unseen[middle].granule() < granule) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < unseen.length && unseen[low].granule() == granule ? low : -low - 1;
    }

    /// Of the unseen writes that with the smallest sequence number. There is one.
    Unseen oldestUnseen() {
        Unseen oldest = oldestUnseen;
        if (oldest == null) {
            oldest = unseen[0];
            for (Unseen one : unseen) {
                if (one.first() < oldest.first()) {
                    oldest = one;
                }
            }
            oldestUnseen = oldest;
        }
        return oldest;
    }

    /// Whether one of the unseen writes may follow another one of the thread. If not, it follows
    /// none.
    boolean mayFollow(Unseen one) {
        return oldestUnseen().first() < Math.max(one.followHeap(), one.followMemory());
    }

    ThreadMemory withCopies(Copy[] changed) {
        ThreadMemory copy = copy();
        copy.copies = changed.length == 0 ? NO_COPIES : changed;
        return copy;
    }

    ThreadMemory withoutCopy(int index) {
        Copy[] fewer = new Copy[copies.length - 1];
        System.arraycopy(copies, 0, fewer, 0, index);
        System.arraycopy(copies, index + 1, fewer, index, fewer.length - index);
        return withCopies(fewer);
    }

    /// DPA-CCH-1: all copies are dropped.
    ThreadMemory withoutCopies() {
        return copies.length == 0 ? this : withCopies(NO_COPIES);
    }

    @Nullable Copy copyOf(int granule) {
        for (Copy copy : copies) {
            if (copy.granule() == granule) {
                return copy;
            }
        }
        return null;
    }

    // Questions

    /// Whether it has stores to DPA memory that are not performed.
    boolean hasPendingMemory() {
        for (Write write : pending) {
            if (write.kind().isMemory()) {
                return true;
            }
        }
        return false;
    }

    /// The bytes of a granule that pending writes of this thread cover.
    int pendingMask(Kind kind, int granule) {
        int mask = 0;
        for (Write write : pending) {
            if (write.kind() == kind && write.target() == granule) {
                mask |= write.mask();
            }
        }
        return mask;
    }

    /// DPA-OPM-12: a granule, with the newest pending write of this thread in each byte.
    long overlay(Kind kind, int granule, long below) {
        long value = below;
        for (Write write : pending) {
            if (write.kind() == kind && write.target() == granule) {
                value = Bytes.merge(value, write.value(), write.mask());
            }
        }
        return value;
    }

    /// Whether all that the bounds name has happened.
    boolean hold(int[] bounds) {
        for (Write write : pending) {
            if (Bounds.waitsFor(bounds, write)) {
                return false;
            }
        }
        for (Unseen one : unseen) {
            if (Bounds.waitsFor(bounds, one)) {
                return false;
            }
        }
        return true;
    }

    /// DPA-OPM-2: whether a pending write may be performed: its requirements hold, and no older one
    /// goes to the same bytes.
    boolean isPerformable(int index) {
        Write write = pending[index];
        for (int i = 0; i < index; i++) {
            if (pending[i].overlaps(write) || Bounds.waitsFor(write.bounds(), pending[i])) {
                return false;
            }
        }
        for (Unseen one : unseen) {
            if (Bounds.waitsFor(write.bounds(), one)) {
                return false;
            }
        }
        return true;
    }

    /// What must have happened before a write issued now.
    int[] boundsOf(Kind kind, Profile profile) {
        return log.boundsOf(kind, profile);
    }

    // Digest

    /// Adds all that can matter from now on. Sequence numbers matter only in that a bound names a
    /// write or does not.
    void digest(Digest digest, Digest scratch) {
        if (!digested) {
            scratch.clear();
            digestTo(scratch);
            digestHigh = scratch.high();
            digestLow = scratch.low();
            digested = true;
        }
        digest.add(digestHigh);
        digest.add(digestLow);
    }

    private void digestTo(Digest digest) {
        digest.add(reserved);
        digest.add(
                ((long) pending.length << 32) | ((long) unseen.length << 1) | (wroteMmio ? 1 : 0));
        for (int i = 0; i < pending.length; i++) {
            Write write = pending[i];
            digest.add(((long) write.kind().ordinal() << 40) | ((long) write.target() << 8));
            digest.add(write.mask());
            digest.add(write.value());
            digest.add(log.coverage(write.kind(), write.number()));
            digestBounds(digest, write.kind(), write.number());
            if (write.rest() != null) {
                write.rest().digest(digest);
            }
        }
        for (Unseen one : unseen) {
            digest.add(one.granule());
            digest.add(log.coverage(one.kind(), one.first()));
            digestBounds(digest, one.kind(), one.first());
            for (Unseen other : unseen) {
                digest.add(one.follows(other) ? 1 : 0);
            }
        }
        digest.add(copies.length);
        for (Copy copy : copies) {
            digest.add(((long) copy.granule() << 1) | (copy.newest() ? 1 : 0));
            digest.add(copy.value());
        }
    }

    /// Which pending writes have to come after the write of that number.
    private void digestBounds(Digest digest, Kind kind, int number) {
        for (Write later : pending) {
            if (later.number() > number) {
                digest.add(Log.coverage(later.bounds(), kind, number));
            }
        }
    }
}
