package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import org.jspecify.annotations.Nullable;

/// The latest fences and writebacks of a DPA thread, for reports that name what stands in the place
/// of what is missing.
final class BarrierLog {
    private static final int SIZE = 64;
    private static final int FENCE = 0;
    private static final int MEMORY_WRITEBACK = 1;
    private static final int WINDOW_WRITEBACK = 2;
    private static final Space[] SPACES = Space.values();
    private static final Op[] OPS = Op.values();

    private final long[] epochs = new long[SIZE];
    private final long[] sequences = new long[SIZE];
    private final int[] entries = new int[SIZE];
    private final int[] sites = new int[SIZE];
    private long count;

    /// One of them.
    ///
    /// @param fence whether it is a fence
    record Barrier(boolean fence, Space space, Op predecessors, Op successors, int site) {
        /// As programs name it.
        @Override
        public String toString() {
            if (fence) {
                return "fence(%s,%s,%s)".formatted(space, predecessors, successors);
            }
            return space == Space.MEMORY ? "memory_writeback" : "window_writeback";
        }
    }

    void fence(long epoch, long sequence, Space space, Op before, Op after, int site) {
        int entry = FENCE | (space.ordinal() << 2) | (before.ordinal() << 4);
        add(epoch, sequence, entry | (after.ordinal() << 6), site);
    }

    void memoryWriteback(long epoch, long sequence, int site) {
        add(epoch, sequence, MEMORY_WRITEBACK, site);
    }

    void windowWriteback(long epoch, long sequence, int site) {
        add(epoch, sequence, WINDOW_WRITEBACK, site);
    }

    private void add(long epoch, long sequence, int entry, int site) {
        int at = (int) (count++ & (SIZE - 1));
        epochs[at] = epoch;
        sequences[at] = sequence;
        entries[at] = entry;
        sites[at] = site;
    }

    /// The last one between two stores of the thread, by their numbers; null if there is none, or
    /// it is too long ago.
    @Nullable Barrier between(long epoch, long later) {
        for (long i = count - 1; i >= Math.max(0, count - SIZE); i--) {
            int at = (int) (i & (SIZE - 1));
            if (epochs[at] >= epoch && epochs[at] < later) {
                return barrier(at);
            }
        }
        return null;
    }

    /// The last fence for loads after an event, by its number among all.
    @Nullable Barrier fenceSince(long sequence) {
        for (long i = count - 1; i >= Math.max(0, count - SIZE); i--) {
            int at = (int) (i & (SIZE - 1));
            Barrier barrier = barrier(at);
            if (sequences[at] > sequence && barrier.fence() && barrier.successors().reads()) {
                return barrier;
            }
        }
        return null;
    }

    private Barrier barrier(int at) {
        int entry = entries[at];
        return switch (entry & 3) {
            case MEMORY_WRITEBACK -> new Barrier(false, Space.MEMORY, Op.W, Op.W, sites[at]);
            case WINDOW_WRITEBACK -> new Barrier(false, Space.MMIO, Op.W, Op.W, sites[at]);
            default ->
                    new Barrier(
                            true,
                            SPACES[(entry >> 2) & 3],
                            OPS[(entry >> 4) & 3],
                            OPS[(entry >> 6) & 3],
                            sites[at]);
        };
    }
}
