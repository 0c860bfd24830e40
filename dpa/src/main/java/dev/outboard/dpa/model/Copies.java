package dev.outboard.dpa.model;

import java.util.Arrays;

/// DPA-OPM-6: the cached copies of external memory that a thread has, by granule. Of the times at
/// which they were fetched it matters only which are the newest.
final class Copies {
    private Copies() {}

    /// A newer fetch makes all copies older.
    static Copy[] older(Copy[] copies) {
        Copy[] older = copies.clone();
        for (int i = 0; i < older.length; i++) {
            if (older[i].newest()) {
                older[i] = new Copy(older[i].granule(), older[i].value(), older[i].mask(), false);
            }
        }
        return older;
    }

    /// One more, at its place.
    static Copy[] insert(Copy[] copies, Copy added) {
        Copy[] more = Arrays.copyOf(copies, copies.length + 1);
        int at = copies.length;
        while (at > 0 && more[at - 1].granule() > added.granule()) {
            more[at] = more[at - 1];
            at--;
        }
        more[at] = added;
        return more;
    }

    /// All but that of a granule.
    static Copy[] without(Copy[] copies, int granule) {
        return Arrays.stream(copies).filter(copy -> copy.granule() != granule).toArray(Copy[]::new);
    }

    /// Those of the newest fetch.
    static Copy[] newest(Copy[] copies) {
        return Arrays.stream(copies).filter(Copy::newest).toArray(Copy[]::new);
    }

    /// DPA-OPM-2: after a window write of the thread to a granule that it has cached. A copy of
    /// which only some bytes are written stays as old as its other bytes are.
    static Copy[] written(Copy[] copies, Write write) {
        boolean whole = write.mask() == Bytes.ALL;
        Copy[] changed = whole ? older(copies) : copies.clone();
        for (int i = 0; i < changed.length; i++) {
            Copy copy = changed[i];
            if (copy.granule() == write.target()) {
                long value = Bytes.merge(copy.value(), write.value(), write.mask());
                int mask = copy.mask() | write.mask();
                changed[i] = new Copy(copy.granule(), value, mask, whole || copy.newest());
            }
        }
        return changed;
    }
}
