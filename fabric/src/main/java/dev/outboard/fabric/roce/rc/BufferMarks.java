package dev.outboard.fabric.roce.rc;

/// Where in the [PeerBuffer] the packets of one requester stand that ask for an answer: pairs of
/// packet number and position, both growing. When it is full the newest gives way, so a mark may
/// come late, but never too early.
final class BufferMarks {
    private static final int CAPACITY = 16;

    private final long[] packets = new long[CAPACITY];
    private final int[] positions = new int[CAPACITY];
    private int first;
    private int count;

    void add(long packet, int position) {
        if (count == CAPACITY) {
            count--;
        }
        int slot = slot(count++);
        packets[slot] = packet;
        positions[slot] = position;
    }

    /// Everything from `packet` on will be sent again, elsewhere.
    void goBackTo(long packet) {
        while (count > 0 && packets[slot(count - 1)] >= packet) {
            count--;
        }
    }

    /// Forgets the marks of all packets before `end`, which were answered, and tells `buffer`.
    void answeredBefore(long end, PeerBuffer buffer) {
        int answered = 0;
        while (answered < count && packets[slot(answered)] < end) {
            answered++;
        }
        if (answered > 0) {
            buffer.drained(positions[slot(answered - 1)]);
            first = slot(answered);
            count -= answered;
        }
    }

    private int slot(int index) {
        return (first + index) % CAPACITY;
    }
}
