package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.AddressKind.HEAP;
import static dev.outboard.dpa.checker.AddressKind.OUTBOX;
import static dev.outboard.dpa.checker.AddressKind.REST;
import static dev.outboard.dpa.checker.AddressKind.WINDOW;

import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Space;
import java.util.Arrays;

/// What the fences and cache operations of one DPA thread have done for its own stores: up to which
/// of them, by kind of address, something holds. The numbers are those of its stores.
final class Barriers {
    private final Profile profile;

    /// Stores of the first kind come before later stores of the second kind, through fences.
    private final long[] ordered = new long[AddressKind.COUNT * AddressKind.COUNT];

    /// Stores of the kind are performed, whatever follows: an atomic released them, or a load has
    /// waited for them.
    private final long[] performed = new long[OUTBOX];

    /// Stores of the kind were written back.
    private final long[] pushed = new long[OUTBOX];

    /// A later load of the second kind will wait for stores of the first kind.
    private final long[] awaited = new long[OUTBOX * OUTBOX];

    private boolean awaiting;

    Barriers(Profile profile) {
        this.profile = profile;
    }

    /// DPA-FEN-1, DPA-FEN-2: both sides lie inside the space.
    void fence(long epoch, Space space, Op predecessors, Op successors) {
        if (!predecessors.writes()) {
            return;
        }
        for (int from = HEAP; from <= WINDOW; from++) {
            if (!AddressKind.covers(space, from)) {
                continue;
            }
            for (int to = HEAP; to <= OUTBOX; to++) {
                if (!AddressKind.covers(space, to)) {
                    continue;
                }
                if (successors.writes()) {
                    ordered[(from * AddressKind.COUNT) + to] = epoch;
                }
                if (successors.reads() && to != OUTBOX) {
                    awaited[(from * OUTBOX) + to] = epoch;
                    awaiting = true;
                }
            }
            if (successors.writes() && profile.fencesWriteBack()) {
                pushed[from] = epoch;
            }
        }
    }

    /// DPA-CCH-3: covers all stores to DPA memory so far.
    void memoryWriteback(long epoch) {
        pushed[HEAP] = epoch;
        pushed[REST] = epoch;
    }

    /// DPA-CCH-2: covers all window stores so far.
    void windowWriteback(long epoch) {
        pushed[WINDOW] = epoch;
    }

    /// DPA-OPM-8: an atomic with rl waits for all stores of the thread to DPA memory.
    void released(long epoch) {
        performed[HEAP] = epoch;
        performed[REST] = epoch;
    }

    /// Whether a load would wait for something.
    boolean isAwaiting() {
        return awaiting;
    }

    /// DPA-OPM-4: a load of that kind was executed, so what it had to wait for is performed.
    void loaded(int kind) {
        for (int from = HEAP; from <= WINDOW; from++) {
            int at = (from * OUTBOX) + kind;
            performed[from] = Math.max(performed[from], awaited[at]);
            awaited[at] = 0;
        }
        awaiting = Arrays.stream(awaited).anyMatch(epoch -> epoch != 0);
    }

    /// Up to which store of one kind the thread has written back.
    long pushed(int kind) {
        return pushed[kind];
    }

    /// Whether a window store has reached external memory, by a writeback or because a load has
    /// waited for it.
    boolean isOut(long epoch) {
        return epoch <= Math.max(pushed[WINDOW], performed[WINDOW]);
    }

    /// Up to which store of one kind a later store of another kind keeps behind, for an observer of
    /// both that looks at the NIC's view or at external memory.
    long fenced(int kind, int later) {
        return ordered[(kind * AddressKind.COUNT) + later];
    }

    /// Whether a store reaches its observers before a later one, without anything that must not be
    /// relied on: both are stores to DPA memory or to windows with a fence between, or the first
    /// one was written back.
    boolean isBefore(int kind, long epoch, int later) {
        boolean alike = AddressKind.isMemory(kind) ? AddressKind.isMemory(later) : later == WINDOW;
        return epoch <= pushed[kind] || (alike && epoch <= fenced(kind, later));
    }

    /// Writes what holds of the thread's own stores into what a store of that kind carries.
    void publish(Snapshot into, int actor, int kind) {
        Knowledge own = into.knowledge;
        boolean outside = !AddressKind.isMemory(kind);
        for (int from = HEAP; from <= REST; from++) {
            long seen = Math.max(fenced(from, kind), Math.max(performed[from], pushed[from]));
            boolean coherent = profile == Profile.COHERENT;
            own.set(actor, Knowledge.ORDERED + from, seen);
            own.set(actor, Knowledge.PUSHED + from, coherent ? seen : pushed[from]);
            // A doorbell or window write does not appear before what a fence orders
            // before it is visible to the NIC.
            boolean byFence = outside && profile != Profile.PARANOID;
            own.set(actor, Knowledge.PUSHED_BY_FENCE + from, byFence ? fenced(from, kind) : 0);
            into.pushedWithIt[from] = outside ? 0 : fenced(from, kind);
        }
        long fenced = fenced(WINDOW, kind);
        own.set(actor, Knowledge.OUT, Math.max(pushed[WINDOW], kind == WINDOW ? fenced : 0));
        boolean dropped = kind == OUTBOX && profile == Profile.PARANOID;
        own.set(actor, Knowledge.OUT_BY_FENCE, Math.max(performed[WINDOW], dropped ? 0 : fenced));
    }
}
