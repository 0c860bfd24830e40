package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;

/// What entries of a send queue have behind the control segment that set 8 bytes or add to them.
final class WordEntry {
    /// How many segments an entry that sets has, the control segment included.
    static final int SET_SEGMENTS = 3;

    /// How many one that adds has.
    static final int ADD_SEGMENTS = 4;

    private static final long SEGMENT = SendEntry.SEGMENT_BYTES;

    private WordEntry() {}

    /// Of an RDMA write: sets them.
    static void set(DpaThread thread, long entry, long address, int key, long value) {
        SendEntry.writeRemote(thread, entry + SEGMENT, address, key);
        DataSegment.writeInline(thread, entry + 2 * SEGMENT, Long.BYTES);
        // Inline data begin in the middle of 8 bytes.
        long data = DataSegment.inlineData(entry + 2 * SEGMENT);
        thread.store32(data, (int) value);
        thread.store32(data + Integer.BYTES, (int) (value >>> Integer.SIZE));
    }

    /// Of a fetch and add.
    ///
    /// @param result where the former value goes
    static void add(
            DpaThread thread,
            long entry,
            long address,
            int key,
            long addend,
            long result,
            int resultKey) {
        SendEntry.writeRemote(thread, entry + SEGMENT, address, key);
        SendEntry.writeAtomic(thread, entry + 2 * SEGMENT, addend, 0);
        DataSegment.write(thread, entry + 3 * SEGMENT, Long.BYTES, resultKey, result);
    }
}
