package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.EthernetSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.TransposeSegment;
import dev.outboard.dpa.nic.layout.WaitSegment;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Functions that send a frame and take completions. Each side has a context, which [FrameSide]
/// fills.
@DpaProgram("frames")
final class Frames {
    static final int LOG_ENTRIES = 3;
    static final int ENTRIES = 1 << LOG_ENTRIES;
    static final int LOG_COMPLETIONS = 4;
    static final int BUFFER_BYTES = 128;

    // Words of a context.
    static final int OUTBOX = 0;
    static final int QUEUE = 8;
    static final int SEND_RING = 16;
    static final int COMPLETION_RING = 24;
    static final int COMPLETION_RECORD = 32;
    static final int KEY = 40;
    static final int TAKEN = 48;
    static final int SENT = 56;
    static final int CONTEXT_BYTES = 64;

    // Words of a request of sendAs.
    static final int OPCODE = 0;
    static final int FLAGS = 8;
    static final int SEGMENT_SIZE = 16;
    static final int INLINE = 24;
    static final int LENGTH = 32;
    static final int PIECES = 40;
    static final int REQUEST_KEY = 48;
    static final int REQUEST_BYTES = 56;

    private Frames() {}

    /// Sends a frame and waits for its completion.
    ///
    /// @param inline how many of its bytes stand in the entry
    /// @return as [#take]
    @DpaRpc
    static long send(DpaThread thread, DpaAddr side, DpaAddr frame, int length, int inline) {
        write(thread, side.value(), frame.value(), length, inline);
        return take(thread, side);
    }

    /// Sends a frame.
    @DpaRpc
    static long post(DpaThread thread, DpaAddr side, DpaAddr frame, int length) {
        write(thread, side.value(), frame.value(), length, 0);
        return length;
    }

    private static void write(DpaThread thread, long db, long frame, int length, int inline) {
        int rest = length > inline ? 1 : 0;
        int segments = 1 + EthernetSegment.segments(inline) + rest;
        control(thread, db, SendEntry.SEND, segments);
        long ethernet = segment(thread, db, 1);
        EthernetSegment.write(thread, ethernet, inline);
        for (int i = 0; i < inline; i++) {
            thread.store8(EthernetSegment.inlineData(ethernet) + i, thread.load8(frame + i));
        }
        if (rest != 0) {
            int key = (int) thread.load64(db + KEY);
            long data = segment(thread, db, segments - 1);
            DataSegment.write(thread, data, length - inline, key, frame + inline);
        }
        ring(thread, db, (segments + 3) / 4);
    }

    /// Sends an entry with another opcode or other words of the Ethernet segment.
    @DpaRpc
    static long sendOther(DpaThread thread, DpaAddr side, int opcode, int flags, DpaAddr frame) {
        long db = side.value();
        control(thread, db, opcode, 3);
        EthernetSegment.write(thread, segment(thread, db, 1), 0);
        thread.store32(segment(thread, db, 1) + 4, Integer.reverseBytes(flags));
        int key = (int) thread.load64(db + KEY);
        DataSegment.write(thread, segment(thread, db, 2), 64, key, frame.value());
        ring(thread, db, 1);
        return take(thread, side);
    }

    /// Posts an entry that waits until a word of 8 bytes is 1.
    @DpaRpc
    static long postWait(DpaThread thread, DpaAddr side, DpaAddr word) {
        long db = side.value();
        control(thread, db, SendEntry.WAIT_ON_DATA, 3);
        int key = (int) thread.load64(db + KEY);
        WaitSegment.write(
                thread, segment(thread, db, 1), WaitSegment.EQUAL, false, key, word.value());
        WaitSegment.writeData(thread, segment(thread, db, 2), 1, -1);
        ring(thread, db, 1);
        return 0;
    }

    /// Transposes a matrix of 2 rows and 3 columns of bytes, and waits for the completion.
    ///
    /// @return as [#take]
    @DpaRpc
    static long transpose(DpaThread thread, DpaAddr side, DpaAddr from, DpaAddr to) {
        long db = side.value();
        control(thread, db, SendEntry.TRANSPOSE, 4);
        int key = (int) thread.load64(db + KEY);
        TransposeSegment.write(thread, segment(thread, db, 1), 1, 3, 2);
        DataSegment.write(thread, segment(thread, db, 2), 6, key, from.value());
        DataSegment.write(thread, segment(thread, db, 3), 6, key, to.value());
        ring(thread, db, 1);
        return take(thread, side);
    }

    /// Sends what a request says, divided between entry and several pieces of memory.
    ///
    /// @param frame is where the request is, and then the frame
    @DpaRpc
    static long sendAs(DpaThread thread, DpaAddr side, DpaAddr frame) {
        long db = side.value();
        long asked = frame.value();
        int inline = (int) thread.load64(asked + INLINE);
        int pieces = (int) thread.load64(asked + PIECES);
        int segments = 1 + EthernetSegment.segments(inline) + pieces;
        control(thread, db, (int) thread.load64(asked + OPCODE), segments);
        int flags = (int) thread.load64(asked + FLAGS);
        int size = (int) thread.load64(asked + SEGMENT_SIZE);
        EthernetSegment.write(thread, segment(thread, db, 1), flags, size, inline);
        long from = asked + REQUEST_BYTES;
        long to = EthernetSegment.inlineData(SendEntry.SEGMENT_BYTES);
        for (int i = 0; i < inline; i++) {
            long number = (to + i) / SendEntry.SEGMENT_BYTES;
            long at = segment(thread, db, (int) number) + (to + i) % SendEntry.SEGMENT_BYTES;
            thread.store8(at, thread.load8(from + i));
        }
        int rest = (int) thread.load64(asked + LENGTH) - inline;
        int key = (int) thread.load64(asked + REQUEST_KEY);
        from += inline;
        for (int left = pieces; left > 0; left--) {
            int length = rest / left;
            DataSegment.write(thread, segment(thread, db, segments - left), length, key, from);
            from += length;
            rest -= length;
        }
        ring(thread, db, (segments + 3) / 4);
        return take(thread, side);
    }

    /// What the completion that was taken last says of checksums.
    @DpaRpc
    static long checksumsOk(DpaThread thread, DpaAddr side) {
        long slot = (thread.load64(side.value() + TAKEN) - 1) & ((1 << LOG_COMPLETIONS) - 1);
        long ring = thread.load64(side.value() + COMPLETION_RING);
        return CompletionEntry.checksumsOk(thread, ring + slot * CompletionEntry.BYTES);
    }

    private static void control(DpaThread thread, long db, int opcode, int segments) {
        thread.configureOutbox((int) thread.load64(db + OUTBOX));
        int queue = (int) thread.load64(db + QUEUE);
        int sent = (int) thread.load64(db + SENT);
        int always = SendEntry.COMPLETE_ALWAYS;
        SendEntry.writeControl(
                thread, segment(thread, db, 0), sent, opcode, queue, segments, always);
    }

    private static long segment(DpaThread thread, long db, int number) {
        long at = (thread.load64(db + SENT) * 4 + number) % (4 * ENTRIES);
        return thread.load64(db + SEND_RING) + at * SendEntry.SEGMENT_BYTES;
    }

    private static void ring(DpaThread thread, long db, int blocks) {
        int sent = (int) thread.load64(db + SENT) + blocks;
        thread.store64(db + SENT, sent);
        thread.memoryWriteback();
        FlexioDev.ringSendDoorbell(thread, sent, (int) thread.load64(db + QUEUE));
    }

    /// Waits for the next completion.
    ///
    /// @return from the lowest byte on: opcode, syndrome, two of the counter, two of the byte
    ///   count, two of the queue number
    @DpaRpc
    static long take(DpaThread thread, DpaAddr side) {
        long db = side.value();
        long taken = thread.load64(db + TAKEN);
        long slot = taken & ((1 << LOG_COMPLETIONS) - 1);
        long entry = thread.load64(db + COMPLETION_RING) + slot * CompletionEntry.BYTES;
        while (!CompletionEntry.isReady(thread, entry, taken, LOG_COMPLETIONS)) {
            // Not yet.
        }
        long found =
                CompletionEntry.opcode(thread, entry)
                        | (long) CompletionEntry.syndrome(thread, entry) << 8
                        | (long) CompletionEntry.workCounter(thread, entry) << 16
                        | (long) CompletionEntry.byteCount(thread, entry) << 32
                        | (long) CompletionEntry.queueNumber(thread, entry) << 48;
        thread.store64(db + TAKEN, taken + 1);
        long record = thread.load64(db + COMPLETION_RECORD);
        DoorbellRecord.setConsumerIndex(thread, record, (int) taken + 1);
        thread.memoryWriteback();
        return found;
    }

    /// Waits until a completion queue that is collapsed tells of a counter.
    @DpaRpc
    static long awaitCounter(DpaThread thread, DpaAddr side, int counter) {
        long entry = thread.load64(side.value() + COMPLETION_RING);
        while (CompletionEntry.workCounter(thread, entry) != counter) {
            // Not yet.
        }
        return CompletionEntry.opcode(thread, entry);
    }
}
