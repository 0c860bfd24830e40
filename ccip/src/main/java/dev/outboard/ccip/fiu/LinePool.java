package dev.outboard.ccip.fiu;

/// All the lines that may be in flight at a time: what the links hold together, and the queues at
/// the port. They are made once, so that a run allocates nothing.
final class LinePool {
    static final int COUNT = 4096;
    private static final int RESERVE = 128;

    private final PendingLine[] all = new PendingLine[COUNT];
    private final PendingLine[] free = new PendingLine[COUNT];
    private int freeCount;

    LinePool() {
        for (int i = 0; i < COUNT; i++) {
            all[COUNT - 1 - i] = new PendingLine();
        }
        releaseAll();
    }

    void releaseAll() {
        System.arraycopy(all, 0, free, 0, COUNT);
        freeCount = COUNT;
    }

    /// Whether no line is in flight.
    boolean isIdle() {
        return freeCount == COUNT;
    }

    /// Whether so few are left that the AFU had better send no more: after almost-full it may still
    /// send ten requests of four lines on each channel.
    boolean isScarce() {
        return freeCount < RESERVE;
    }

    PendingLine take() {
        return free[--freeCount];
    }

    /// A line is done with. The first line of a request waits for the others.
    void release(PendingLine line) {
        PendingLine first = line.first;
        if (line != first) {
            free(line);
        }
        unhold(first);
    }

    /// One line less of this request is to be released.
    void unhold(PendingLine first) {
        if (--first.held == 0) {
            free(first);
        }
    }

    private void free(PendingLine line) {
        line.mapping = null;
        free[freeCount++] = line;
    }
}
