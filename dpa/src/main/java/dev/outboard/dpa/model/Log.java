package dev.outboard.dpa.model;

import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Space;

/// The fences and cache operations that a thread has executed: for each kind, the sequence number
/// that the next write had at the latest one. Earlier ones of the kind say nothing more. Immutable.
final class Log {
    private static final int FENCE_HEAP = 0;
    private static final int FENCE_MEMORY = 1;
    private static final int FENCE_MMIO = 2;
    private static final int FENCE_SYSTEM = 3;
    private static final int WRITEBACK_HEAP = 4;
    private static final int WRITEBACK_MEMORY = 5;
    private static final int WRITEBACK_WINDOW = 6;
    private static final int COUNT = 7;

    /// Loads of the heap.
    static final int HEAP_LOAD = 0;

    /// Loads of DPA memory outside the heap.
    static final int MEMORY_LOAD = 1;

    /// Loads through the window.
    static final int WINDOW_LOAD = 2;

    /// Nothing executed yet.
    static final Log EMPTY =
            new Log(
                    new int[COUNT],
                    new int[][] {
                        new int[Bounds.COUNT], new int[Bounds.COUNT], new int[Bounds.COUNT]
                    });

    /// By kind of operation.
    private final int[] last;

    /// The bounds that loads wait for, by class of load.
    private final int[][] waits;

    private Log(int[] last, int[][] waits) {
        this.last = last;
        this.waits = waits;
    }

    /// Whether a load of the space can be of the class.
    private static boolean covers(Space space, int load) {
        return switch (space) {
            case HEAP -> load == HEAP_LOAD;
            case MEMORY -> load != WINDOW_LOAD;
            case MMIO -> load == WINDOW_LOAD;
            case SYSTEM -> true;
        };
    }

    /// A fence, executed when the next write has that number.
    ///
    /// DPA-MEM-13: one without earlier writes changes nothing.
    ///
    /// DPA-OPM-15: in BF3, one with later writes writes its space back.
    Log fence(Space space, Op predecessors, Op successors, int number, Profile profile) {
        if (!predecessors.writes()) {
            // Loads bind in program order and stores are issued after them.
            return this;
        }
        Log log = this;
        if (successors.reads()) {
            log = log.makeLoadsWait(space, number);
        }
        if (successors.writes()) {
            log = log.with(fenceOf(space), number);
            // In BF3 such a fence is a writeback of its space as well.
            if (profile.fencesWriteBack()) {
                log = log.writebackBy(space, number);
            }
        }
        return log;
    }

    private static int fenceOf(Space space) {
        return switch (space) {
            case HEAP -> FENCE_HEAP;
            case MEMORY -> FENCE_MEMORY;
            case MMIO -> FENCE_MMIO;
            case SYSTEM -> FENCE_SYSTEM;
        };
    }

    private Log writebackBy(Space space, int number) {
        return switch (space) {
            case HEAP -> with(WRITEBACK_HEAP, number);
            case MEMORY -> memoryWriteback(number);
            case MMIO -> windowWriteback(number);
            case SYSTEM -> memoryWriteback(number).windowWriteback(number);
        };
    }

    Log memoryWriteback(int number) {
        return with(WRITEBACK_MEMORY, number);
    }

    Log windowWriteback(int number) {
        return with(WRITEBACK_WINDOW, number);
    }

    private Log with(int kind, int number) {
        if (last[kind] == number) {
            return this;
        }
        int[] changed = last.clone();
        changed[kind] = number;
        return new Log(changed, waits);
    }

    /// DPA-OPM-4: later loads of the space wait until the writes of the space before the fence are
    /// performed, and visible to the NIC where a writeback stands between them and the fence.
    private Log makeLoadsWait(Space space, int number) {
        int[][] changed = waits.clone();
        for (int load = 0; load < changed.length; load++) {
            if (covers(space, load)) {
                int[] wait = changed[load].clone();
                changed[load] = wait;
                if (space == Space.HEAP) {
                    wait[Bounds.PERFORM_HEAP] = number;
                    wait[Bounds.SHOW_HEAP] = Math.max(last[WRITEBACK_HEAP], last[WRITEBACK_MEMORY]);
                    continue;
                }
                if (space != Space.MMIO) {
                    wait[Bounds.PERFORM_MEMORY] = number;
                    wait[Bounds.SHOW_MEMORY] = last[WRITEBACK_MEMORY];
                    wait[Bounds.SHOW_HEAP] = Math.max(wait[Bounds.SHOW_HEAP], last[WRITEBACK_HEAP]);
                }
                if (space != Space.MEMORY) {
                    wait[Bounds.PERFORM_MMIO] = number;
                }
            }
        }
        return new Log(last, changed);
    }

    /// DPA-OPM-7: what must have happened before a write issued now is performed. Each line is one
    /// of the rule's pairs of earlier and later write.
    ///
    /// DPA-CCH-2, DPA-CCH-3: a writeback orders later writes of any space.
    ///
    /// DPA-FEN-4, DPA-OPM-15: what is told to the outside must be visible there, but in PARANOID.
    int[] boundsOf(Kind kind, Profile profile) {
        int[] bounds = new int[Bounds.COUNT];
        bounds[Bounds.SHOW_MEMORY] = last[WRITEBACK_MEMORY];
        bounds[Bounds.SHOW_HEAP] = last[WRITEBACK_HEAP];
        bounds[Bounds.PERFORM_WINDOW] = last[WRITEBACK_WINDOW];
        if (kind.isMemory()) {
            int memory = Math.max(last[FENCE_MEMORY], last[FENCE_SYSTEM]);
            bounds[Bounds.PERFORM_MEMORY] = memory;
            bounds[Bounds.FOLLOW_MEMORY] = memory;
            if (kind == Kind.HEAP) {
                bounds[Bounds.PERFORM_HEAP] = last[FENCE_HEAP];
                bounds[Bounds.FOLLOW_HEAP] = last[FENCE_HEAP];
            }
            bounds[Bounds.PERFORM_MMIO] = last[FENCE_SYSTEM];
            return bounds;
        }
        int mmio = Math.max(last[FENCE_MMIO], last[FENCE_SYSTEM]);
        if (profile == Profile.PARANOID) {
            // To the outside, DPA memory need be performed only, and a window write comes before no
            // doorbell.
            bounds[Bounds.PERFORM_MEMORY] = last[FENCE_SYSTEM];
            bounds[kind == Kind.OUTBOX ? Bounds.PERFORM_OUTBOX : Bounds.PERFORM_MMIO] = mmio;
        } else {
            bounds[Bounds.SHOW_MEMORY] = Math.max(last[FENCE_SYSTEM], last[WRITEBACK_MEMORY]);
            bounds[Bounds.PERFORM_MMIO] = mmio;
        }
        return bounds;
    }

    /// DPA-OPM-2: whether a writeback makes it certain that a pending window write is performed.
    boolean mustPerform(Write write) {
        return write.kind() != Kind.WINDOW || write.number() < last[WRITEBACK_WINDOW];
    }

    /// DPA-OPM-3: whether a writeback makes it certain that the NIC sees performed writes.
    boolean mustShow(Unseen unseen) {
        return unseen.first() < last[WRITEBACK_MEMORY]
                || (unseen.kind() == Kind.HEAP && unseen.first() < last[WRITEBACK_HEAP]);
    }

    /// The bounds that a load of the class waits for.
    int[] waits(int load) {
        return waits[load];
    }

    /// A digest of what it says of a write of that kind and number.
    long coverage(Kind kind, int number) {
        long bits = 0;
        for (int i = 0; i < COUNT; i++) {
            bits = (bits << 1) | (concerns(i, kind) && number < last[i] ? 1 : 0);
        }
        for (int[] wait : waits) {
            bits = (bits << Bounds.COUNT) | coverage(wait, kind, number);
        }
        return bits;
    }

    private static boolean concerns(int operation, Kind kind) {
        return switch (operation) {
            case FENCE_HEAP, WRITEBACK_HEAP -> kind == Kind.HEAP;
            case FENCE_MEMORY, WRITEBACK_MEMORY -> kind.isMemory();
            case FENCE_MMIO -> !kind.isMemory();
            case WRITEBACK_WINDOW -> kind == Kind.WINDOW;
            default -> true;
        };
    }

    /// For each bound a bit: whether the write is one of those that it names.
    static long coverage(int[] bounds, Kind kind, int number) {
        long bits = 0;
        for (int i = 0; i < Bounds.COUNT; i++) {
            boolean concerned =
                    switch (i) {
                        case Bounds.PERFORM_HEAP, Bounds.SHOW_HEAP, Bounds.FOLLOW_HEAP ->
                                kind == Kind.HEAP;
                        case Bounds.PERFORM_MMIO -> !kind.isMemory();
                        case Bounds.PERFORM_OUTBOX -> kind == Kind.OUTBOX;
                        case Bounds.PERFORM_WINDOW -> kind == Kind.WINDOW;
                        default -> kind.isMemory();
                    };
            bits = (bits << 1) | (concerned && number < bounds[i] ? 1 : 0);
        }
        return bits;
    }
}
