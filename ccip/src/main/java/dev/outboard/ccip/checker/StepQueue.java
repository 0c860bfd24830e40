package dev.outboard.ccip.checker;

import java.util.Arrays;

/// Lines of requests in the order in which they took some step. Nearly always the first leaves, now
/// and then one behind it. A ring that grows to the most lines there ever were, if that is more
/// than is usual.
final class StepQueue {
    private static final int USUAL_LINES = 1024;

    /// What names a line: its request, and which line of it.
    private long[] keys = new long[USUAL_LINES];

    private long[] addresses = new long[keys.length];
    private long[] marks = new long[keys.length];
    private int head;
    private int size;

    static long key(long request, int line) {
        return request << 2 | line;
    }

    int size() {
        return size;
    }

    void add(long key, long address, long mark) {
        if (size == keys.length) {
            keys = grown(keys);
            addresses = grown(addresses);
            marks = grown(marks);
            head = 0;
        }
        int at = at(size++);
        keys[at] = key;
        addresses[at] = address;
        marks[at] = mark;
    }

    /// Where the line is in the queue, or -1.
    int find(long key) {
        for (int i = 0; i < size; i++) {
            if (keys[at(i)] == key) {
                return i;
            }
        }
        return -1;
    }

    long request(int position) {
        return keys[at(position)] >> 2;
    }

    /// The line address.
    long address(int position) {
        return addresses[at(position)];
    }

    /// A word of the caller's.
    long mark(int position) {
        return marks[at(position)];
    }

    void mark(int position, long mark) {
        marks[at(position)] = mark;
    }

    /// Takes a line out; the others keep their order.
    void remove(int position) {
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
