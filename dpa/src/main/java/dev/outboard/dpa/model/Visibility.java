package dev.outboard.dpa.model;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// DPA-OPM-3: which granules the NIC may come to see next. An object is for use again and again, on
/// states of one size or of growing ones, since a state may have many granules of which few are
/// hidden.
final class Visibility {
    /// By granule: 0 if no thread hides it, the number of the thread plus 1 if one does, and if
    /// more do that of the first one, negative.
    private int[] hiders = {};

    /// By thread: what it hides.
    private Unseen[][] hidden = {};

    /// Looks at a state as it is now.
    void look(MemoryState state) {
        for (Unseen[] former : hidden) {
            for (Unseen one : former) {
                hiders[one.granule()] = 0;
            }
        }
        if (hiders.length < state.granules()) {
            hiders = new int[state.granules()];
        }
        if (hidden.length < state.threads()) {
            hidden = new Unseen[state.threads()][];
        }
        for (int thread = 0; thread < state.threads(); thread++) {
            hidden[thread] = state.thread(thread).unseen();
            for (Unseen one : hidden[thread]) {
                int hider = hiders[one.granule()];
                hiders[one.granule()] = hider == 0 ? thread + 1 : -Math.abs(hider);
            }
        }
    }

    /// Whether the step that shows that granule may be taken, and is one of the thread: a granule
    /// is shown once, however many threads have written to it. Most answers need no look at other
    /// threads.
    ///
    /// @param state the one that was looked at
    boolean hasStep(MemoryState state, int thread, Unseen one) {
        int hider = hiders[one.granule()];
        if (Math.abs(hider) != thread + 1) {
            return false;
        }
        ThreadMemory memory = state.thread(thread);
        if (hider > 0 && !memory.mayFollow(one)) {
            return true;
        }
        Unseen oldest = memory.oldestUnseen();
        boolean late =
                one.follows(oldest) && hiders[oldest.granule()] > 0 && !memory.mayFollow(oldest);
        return !late && together(state, one.granule()) != null;
    }

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
                if (at < 0 || !memory.mayFollow(memory.unseen()[at])) {
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
