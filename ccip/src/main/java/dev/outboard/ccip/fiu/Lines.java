package dev.outboard.ccip.fiu;

import dev.outboard.ccip.wire.Line;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What is in flight between acceptance at the port and response: a slot for each line of a read or
/// write, for each fence and for each interrupt. Slots are allocated once and named by their index;
/// the first line of a request stands for the request.
final class Lines {
    /// No slot.
    static final int NONE = -1;

    static final byte READ = 0;
    static final byte WRITE = 1;
    static final byte FENCE = 2;
    static final byte INTERRUPT = 3;

    /// How many slots there are: what all links hold together and both queues at the port.
    static final int COUNT = 4096;

    /// What the slot is: [#READ], [#WRITE], [#FENCE] or [#INTERRUPT].
    final byte[] kind = new byte[COUNT];

    /// `req_type`.
    final byte[] type = new byte[COUNT];

    /// The channel the AFU named, VA included: the scope of fences.
    final byte[] named = new byte[COUNT];

    /// The physical channel taken.
    final byte[] channel = new byte[COUNT];

    /// Which line of its request, from 0.
    final byte[] number = new byte[COUNT];

    /// Whether the FPGA cache held the line.
    final boolean[] hit = new boolean[COUNT];

    /// The line address.
    final long[] address = new long[COUNT];

    /// The ordinal of the request on its Tx channel.
    final long[] ordinal = new long[COUNT];

    /// `mdata`, or the `id` of an interrupt.
    final int[] mdata = new int[COUNT];

    /// Of a write: the first byte that counts.
    final byte[] start = new byte[COUNT];

    /// Of a write: how many bytes count, 64 of a whole line.
    final byte[] length = new byte[COUNT];

    /// Where the line lies; null if there is no such memory.
    final @Nullable Mapping[] mapping = new Mapping[COUNT];

    /// The slot of the first line of the request.
    final int[] first = new int[COUNT];

    /// Of the first line: how many lines the request has.
    final byte[] count = new byte[COUNT];

    /// Of the first line: how many lines have not been committed, or of a read not been answered.
    final byte[] open = new byte[COUNT];

    /// Of the first line of a write without a packed response: how many lines have not been
    /// answered.
    final byte[] unanswered = new byte[COUNT];

    /// Of the first line: how many lines of the request still need their slot.
    final byte[] held = new byte[COUNT];

    /// Of the first line of a write: whether one response answers all lines.
    final boolean[] packed = new boolean[COUNT];

    /// What must still happen before the slot is free: its write to memory, its response.
    final byte[] pending = new byte[COUNT];

    /// For whoever keeps lists of slots.
    final int[] next = new int[COUNT];

    /// The bytes of each line.
    final long[] data = new long[COUNT * Line.LONGS];

    private final int[] free = new int[COUNT];
    private int freeCount;

    Lines() {
        releaseAll();
    }

    void releaseAll() {
        for (int i = 0; i < COUNT; i++) {
            free[i] = COUNT - 1 - i;
        }
        freeCount = COUNT;
        Arrays.fill(mapping, null);
    }

    int freeCount() {
        return freeCount;
    }

    int allocate() {
        return free[--freeCount];
    }

    /// A line needs its slot no more. The first line of a request keeps its slot until no other
    /// needs it.
    void release(int slot) {
        int head = first[slot];
        if (slot != head) {
            free(slot);
        }
        unhold(head);
    }

    /// One line less of this request needs its slot.
    void unhold(int head) {
        if (--held[head] == 0) {
            free(head);
        }
    }

    private void free(int slot) {
        mapping[slot] = null;
        free[freeCount++] = slot;
    }

    static int dataIndex(int slot) {
        return slot * Line.LONGS;
    }
}
