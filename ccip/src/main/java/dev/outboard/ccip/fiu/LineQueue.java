package dev.outboard.ccip.fiu;

/// A queue of lines, from which one may also be taken out of turn. It holds all lines there are and
/// allocates nothing after construction.
final class LineQueue {
    private static final int MASK = LinePool.COUNT - 1;

    private final PendingLine[] elements = new PendingLine[LinePool.COUNT];
    private int head;
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void add(PendingLine line) {
        elements[head + size++ & MASK] = line;
    }

    PendingLine get(int position) {
        assert position < size : position;
        return elements[head + position & MASK];
    }

    PendingLine take() {
        PendingLine line = get(0);
        size--;
        // A queue that runs empty begins again: so short ones stay in the processor's cache.
        head = size == 0 ? 0 : head + 1;
        return line;
    }

    /// Takes the line at `position`; the first takes its place.
    PendingLine take(int position) {
        PendingLine line = get(position);
        elements[head + position & MASK] = elements[head & MASK];
        elements[head & MASK] = line;
        return take();
    }

    /// Equal for the same lines in the same order, and hardly for others.
    long digest() {
        long digest = size;
        for (int i = 0; i < size; i++) {
            digest = OrderingMachine.mix(digest, get(i).digest());
        }
        return digest;
    }

    void clear() {
        size = 0;
    }
}
