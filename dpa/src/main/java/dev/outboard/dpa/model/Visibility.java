package dev.outboard.dpa.model;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// DPA-OPM-3: which granules the NIC may come to see next.
final class Visibility {
    private Visibility() {}

    /// The granules that become visible in the step of this one: itself, and those that have to
    /// come before it as it has to come before them. Without these a cycle of fences of several
    /// threads would keep the NIC from ever seeing what was written back. Null if nothing is to be
    /// seen, if something else has to come first, or if it is the step of a smaller granule.
    static @Nullable BitSet together(MemoryState state, int granule) {
        if (!isUnseen(state, granule)) {
            return null;
        }
        BitSet all = before(state, granule);
        if (all.cardinality() == 1) {
            return all;
        }
        if (all.nextSetBit(0) < granule) {
            return null;
        }
        for (int one = all.nextSetBit(0); one >= 0; one = all.nextSetBit(one + 1)) {
            if (!before(state, one).get(granule)) {
                return null;
            }
        }
        return all;
    }

    private static boolean isUnseen(MemoryState state, int granule) {
        for (int thread = 0; thread < state.threads(); thread++) {
            if (state.thread(thread).indexOfUnseen(granule) >= 0) {
                return true;
            }
        }
        return false;
    }

    /// The granule, and all that the NIC has to see before it or with it.
    private static BitSet before(MemoryState state, int granule) {
        BitSet all = new BitSet();
        BitSet open = new BitSet();
        all.set(granule);
        open.set(granule);
        while (!open.isEmpty()) {
            int one = open.nextSetBit(0);
            open.clear(one);
            for (int thread = 0; thread < state.threads(); thread++) {
                ThreadMemory memory = state.thread(thread);
                int at = memory.indexOfUnseen(one);
                if (at < 0) {
                    continue;
                }
                for (Unseen other : memory.unseen()) {
                    if (memory.unseen()[at].follows(other) && !all.get(other.granule())) {
                        all.set(other.granule());
                        open.set(other.granule());
                    }
                }
            }
        }
        return all;
    }
}
