package dev.outboard.dpa.model;

/// DPA-OPM-7: what must have happened first, as sequence numbers of one thread: of the thread's
/// writes of some kind, all with a smaller number. A write carries such bounds from its issue on,
/// and so does a load after a fence. They say the same as pairwise requirements, since a fence or
/// cache operation concerns every earlier write of its space.
final class Bounds {
    /// Heap writes must be performed.
    static final int PERFORM_HEAP = 0;

    /// Writes to DPA memory must be performed.
    static final int PERFORM_MEMORY = 1;

    /// Window writes and doorbells must be performed.
    static final int PERFORM_MMIO = 2;

    /// Doorbells must be performed.
    static final int PERFORM_OUTBOX = 3;

    /// Window writes must be performed.
    static final int PERFORM_WINDOW = 4;

    /// Heap writes must be visible to the NIC.
    static final int SHOW_HEAP = 5;

    /// Writes to DPA memory must be visible to the NIC.
    static final int SHOW_MEMORY = 6;

    /// Heap writes must be visible to the NIC before this write is.
    static final int FOLLOW_HEAP = 7;

    /// Writes to DPA memory must be visible to the NIC before this write is.
    static final int FOLLOW_MEMORY = 8;

    /// The number of bounds.
    static final int COUNT = 9;

    private Bounds() {}

    /// Whether an unperformed write has to be performed, or shown, first.
    static boolean waitsFor(int[] bounds, Write write) {
        int number = write.number();
        return switch (write.kind()) {
            case HEAP ->
                    number < bounds[PERFORM_MEMORY]
                            || number < bounds[SHOW_MEMORY]
                            || number < bounds[PERFORM_HEAP]
                            || number < bounds[SHOW_HEAP];
            case MEMORY -> number < bounds[PERFORM_MEMORY] || number < bounds[SHOW_MEMORY];
            case WINDOW -> number < bounds[PERFORM_MMIO] || number < bounds[PERFORM_WINDOW];
            case OUTBOX -> number < bounds[PERFORM_MMIO] || number < bounds[PERFORM_OUTBOX];
        };
    }

    /// Whether a performed write that the NIC does not see has to be shown first.
    static boolean waitsFor(int[] bounds, Unseen unseen) {
        return unseen.first() < bounds[SHOW_MEMORY]
                || (unseen.kind() == Kind.HEAP && unseen.first() < bounds[SHOW_HEAP]);
    }
}
