package dev.outboard.ccip.fiu;

/// A queue of lines, those of one request that go together as one element. Elements may also be
/// taken out of turn. It holds all lines there are and allocates nothing after construction.
final class LineQueue {
    private static final int SIZE = 4 * RequestPool.COUNT;
    private static final int MASK = SIZE - 1;

    private final PendingRequest[] requests = new PendingRequest[SIZE];
    private final byte[] lines = new byte[SIZE];
    private int head;
    private int size;

    /// How many elements it has.
    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void add(PendingRequest request, int lines) {
        int at = head + size++ & MASK;
        requests[at] = request;
        this.lines[at] = (byte) lines;
    }

    /// More lines of the request that came last go with those that are here, or after them.
    void join(PendingRequest request, int more) {
        int last = head + size - 1 & MASK;
        if (size > 0 && requests[last] == request) {
            lines[last] |= (byte) more;
        } else {
            add(request, more);
        }
    }

    PendingRequest request(int position) {
        assert position < size : position;
        return requests[head + position & MASK];
    }

    int lines(int position) {
        return lines[head + position & MASK];
    }

    /// Takes the first line of the first element, and that element if it was its last.
    void takeLine() {
        int left = lines[head & MASK];
        left &= left - 1;
        lines[head & MASK] = (byte) left;
        if (left == 0) {
            remove();
        }
    }

    /// Removes the first element.
    void remove() {
        size--;
        // A queue that runs empty begins again: so short ones stay in the processor's cache.
        head = size == 0 ? 0 : head + 1;
    }

    /// Removes the element at `position`; the first takes its place.
    void remove(int position) {
        int at = head + position & MASK;
        requests[at] = requests[head & MASK];
        lines[at] = lines[head & MASK];
        remove();
    }

    /// Equal for the same lines in the same order, and hardly for others.
    long digest() {
        long digest = size;
        for (int i = 0; i < size; i++) {
            digest = OrderingMachine.mix(digest, digest(i));
        }
        return digest;
    }

    /// Equal for the same elements in any order, and hardly for others.
    long digestInAnyOrder() {
        long digest = 0;
        for (int i = 0; i < size; i++) {
            digest += OrderingMachine.mix(0, digest(i));
        }
        return digest;
    }

    private long digest(int position) {
        return request(position).digest(lines(position));
    }

    void clear() {
        size = 0;
    }
}
