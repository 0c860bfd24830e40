package dev.outboard.ccip.checker;

import java.util.Arrays;

/// Lines of requests in the order in which they took some step, those that took it together as one
/// element. Nearly always the first leaves, now and then one behind it. A ring that grows to the
/// most elements there ever were, if that is more than is usual.
///
/// A set of lines of a request is written as bits, bit i for line i.
final class StepQueue {
    private static final int USUAL_ELEMENTS = 1024;
    private static final int LINE_BITS = 4;
    private static final int LINES = (1 << LINE_BITS) - 1;

    /// The request, above its lines.
    private long[] keys = new long[USUAL_ELEMENTS];

    private long[] addresses = new long[keys.length];
    private long[] marks = new long[keys.length];
    private int head;
    private int size;

    int size() {
        return size;
    }

    /// @param address of line 0 of the request
    void add(long request, int lines, long address, long mark) {
        if (size == keys.length) {
            keys = grown(keys);
            addresses = grown(addresses);
            marks = grown(marks);
            head = 0;
        }
        int at = at(size++);
        keys[at] = request << LINE_BITS | lines;
        addresses[at] = address;
        marks[at] = mark;
    }

    /// Which element has this line, given as a bit, or -1.
    int find(long request, int line) {
        for (int i = 0; i < size; i++) {
            long key = keys[at(i)];
            if (key >> LINE_BITS == request && (key & line) != 0) {
                return i;
            }
        }
        return -1;
    }

    long request(int position) {
        return keys[at(position)] >> LINE_BITS;
    }

    /// The address of line 0.
    long address(int position) {
        return addresses[at(position)];
    }

    /// Which lines an element has that are also these lines from another address on.
    int common(int position, long address, int lines) {
        long distance = address - address(position);
        if (distance <= -LINE_BITS || distance >= LINE_BITS) {
            return 0;
        }
        int same = distance < 0 ? lines >> -distance : lines << distance;
        return (int) keys[at(position)] & LINES & same;
    }

    /// A word of the caller's.
    long mark(int position) {
        return marks[at(position)];
    }

    void mark(int position, long mark) {
        marks[at(position)] = mark;
    }

    /// Takes a line out, given as a bit; the others keep their order.
    void remove(int position, int line) {
        int at = at(position);
        keys[at] &= ~(long) line;
        if ((keys[at] & LINES) == 0) {
            remove(position);
        }
    }

    private void remove(int position) {
        for (int i = position; i > 0; i--) {
            int to = at(i);
            int from = at(i - 1);
            keys[to] = keys[from];
            addresses[to] = addresses[from];
            marks[to] = marks[from];
        }
        size--;
        // A queue that runs empty begins again: so short ones stay in the processor's cache.
        head = size == 0 ? 0 : at(1);
    }

    void clear() {
        size = 0;
    }

    private int at(int position) {
        return head + position & keys.length - 1;
    }

    private long[] grown(long[] ring) {
        long[] larger = Arrays.copyOfRange(ring, head, head + 2 * ring.length);
        System.arraycopy(ring, 0, larger, ring.length - head, head);
        return larger;
    }
}
