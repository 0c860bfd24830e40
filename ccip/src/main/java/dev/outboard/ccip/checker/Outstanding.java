package dev.outboard.ccip.checker;

import java.util.Arrays;

/// The requests of one Tx channel that have not all their responses, by number. A ring that grows
/// to the largest distance there ever was between the oldest of them and the newest.
///
/// Of each request it keeps bits 63:0 of the header and a word of state.
final class Outstanding {
    /// Lines without response, one bit each; a fence or an interrupt has one.
    static final int PENDING = 0xF;

    static final int VC_SHIFT = 4;
    static final int VC_USED_SHIFT = 6;
    static final int LENGTH_SHIFT = 8;
    static final int KIND_SHIFT = 10;

    /// Not all beats were seen.
    static final int OPEN = 1 << 14;

    /// Faulty, so that the FIU may answer it or not.
    static final int EXCUSED = 1 << 15;

    /// Sent in reset.
    static final int SENT_IN_RESET = 1 << 16;

    /// Sent after the error signal.
    static final int SENT_AFTER_ERROR = 1 << 17;

    /// Lines of a write that are in memory, one bit each.
    static final int WRITTEN_SHIFT = 18;

    /// A request that waits while so many later ones are answered is forgotten.
    private static final int LIMIT = 1 << 20;

    private long[] headers = new long[256];
    private int[] states = new int[256];

    /// When each was sent, the lower 32 bits of the cycle.
    private int[] cycles = new int[256];

    private long oldest;
    private long knownFrom;
    private long count;
    private long excusedBelow;
    private long flushedBelow;

    /// Takes the next request.
    void add(long cycle, long header, int state) {
        if (count - oldest == states.length) {
            makeRoom();
        }
        int at = at(count++);
        headers[at] = header;
        states[at] = state;
        cycles[at] = (int) cycle;
    }

    /// Cycles since a request was sent.
    long age(long request, long cycle) {
        return Integer.toUnsignedLong((int) cycle - cycles[at(request)]);
    }

    /// Requests so far.
    long count() {
        return count;
    }

    /// Whether the request is recent enough to be known here.
    boolean knows(long request) {
        return request >= Math.max(knownFrom, count - states.length) && request < count;
    }

    int state(long request) {
        return states[at(request)];
    }

    void setState(long request, int state) {
        states[at(request)] = state;
    }

    long header(long request) {
        return headers[at(request)];
    }

    /// The FIU may leave this request unanswered.
    void excuse(long request) {
        if (knows(request)) {
            states[at(request)] |= EXCUSED;
        }
    }

    /// The FIU may leave all requests so far unanswered.
    void excuseAll() {
        excusedBelow = count;
    }

    /// No request so far may be answered from now on.
    void flush() {
        flushedBelow = count;
        oldest = count;
    }

    /// Whether this request, which may be answered or not, was forgotten for later ones.
    boolean isForgotten(long request) {
        return request >= flushedBelow && request < excusedBelow && !knows(request);
    }

    boolean isFlushed(long request) {
        return request < flushedBelow;
    }

    /// The first request from this one on that is owed a response, or [#count].
    long nextOwed(long from) {
        long request = Math.max(Math.max(from, oldest), flushedBelow);
        while (request < count && !isOwed(request)) {
            request++;
        }
        return request;
    }

    /// Whether this request, which is known here, is owed a response.
    boolean isOwed(long request) {
        int state = state(request);
        return (state & PENDING) != 0
                && (state & (EXCUSED | SENT_IN_RESET | SENT_AFTER_ERROR)) == 0
                && request >= excusedBelow;
    }

    private void makeRoom() {
        oldest = nextOwed(oldest);
        int size = states.length;
        if (count - oldest < size) {
            return;
        }
        if (size == LIMIT) {
            oldest += size / 2;
            return;
        }
        knownFrom = oldest;
        headers = Arrays.copyOf(headers, 2 * size);
        states = Arrays.copyOf(states, 2 * size);
        cycles = Arrays.copyOf(cycles, 2 * size);
        // The number of a request now has one more bit: those that have it set move up.
        for (long request = oldest; request < count; request++) {
            int before = (int) request & (size - 1);
            headers[at(request)] = headers[before];
            states[at(request)] = states[before];
            cycles[at(request)] = cycles[before];
        }
    }

    private int at(long request) {
        return (int) request & (states.length - 1);
    }
}
