package dev.outboard.console.demo;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Device code of `outboard demo --break`: replaces the rows of a gray picture by their edges, and
/// has the NIC write each to the host as soon as it is there. The edges are those of
/// [EdgeDetection][dev.outboard.node.routine.EdgeDetection]. [EdgeSending] is its host code.
@DpaProgram("edge_sender")
final class EdgeSender {
    /// The binary logarithm of how many rows there are at most.
    static final int LOG_ROWS = 8;

    /// How many rows it keeps as they were.
    static final int SCRATCH_ROWS = 3;

    // Words of the context, which the host fills.

    static final int OUTBOX = 0;
    static final int QUEUE = 8;
    static final int SEND_RING = 16;
    static final int COMPLETION_RING = 24;
    static final int WIDTH = 32;
    static final int HEIGHT = 40;

    /// The picture in DPA memory.
    static final int PICTURE = 48;

    static final int KEY = 56;

    /// The picture of the host.
    static final int REMOTE = 64;

    static final int REMOTE_KEY = 72;

    /// Where these are.
    static final int SCRATCH = 80;

    static final int CONTEXT_BYTES = 88;

    private static final int BYTE = 0xFF;

    private EdgeSender() {}

    /// Writes an entry for each row; no doorbell tells of them yet.
    @DpaRpc
    static long post(DpaThread thread, DpaAddr context) {
        long at = context.value();
        long width = thread.load64(at + WIDTH);
        long height = thread.load64(at + HEIGHT);
        for (int y = 0; y < height; y++) {
            long entry = thread.load64(at + SEND_RING) + (long) y * SendEntry.BYTES;
            SendEntry.writeControl(
                    thread,
                    entry,
                    y,
                    SendEntry.RDMA_WRITE,
                    (int) thread.load64(at + QUEUE),
                    3,
                    SendEntry.COMPLETE_ALWAYS);
            SendEntry.writeRemote(
                    thread,
                    entry + SendEntry.SEGMENT_BYTES,
                    thread.load64(at + REMOTE) + y * width,
                    (int) thread.load64(at + REMOTE_KEY));
            DataSegment.write(
                    thread,
                    entry + 2 * SendEntry.SEGMENT_BYTES,
                    (int) width,
                    (int) thread.load64(at + KEY),
                    thread.load64(at + PICTURE) + y * width);
        }
        thread.memoryWriteback(); // so that the NIC finds the entries
        return height;
    }

    /// Replaces a row by its edges, and sends them.
    ///
    /// @param y which row: they come from the first to the last
    /// @return the opcode of the completion
    @DpaRpc
    static long send(DpaThread thread, DpaAddr context, int y) {
        long at = context.value();
        thread.configureOutbox((int) thread.load64(at + OUTBOX));
        long width = thread.load64(at + WIDTH);
        long row = thread.load64(at + PICTURE) + y * width;
        long above = scratch(thread, at, y - 1);
        long here = scratch(thread, at, y);
        long below = scratch(thread, at, y + 1);
        if (y == 0) {
            copy(thread, above, row, width);
            copy(thread, here, row, width);
        }
        copy(thread, below, y + 1 == thread.load64(at + HEIGHT) ? here : row + width, width);
        for (long x = 0; x < width; x += Long.BYTES) {
            thread.store64(row + x, edges(thread, above, here, below, x, width - 1));
        }
        thread.memoryWriteback(); // so that the NIC finds the edges
        FlexioDev.ringSendDoorbell(thread, y + 1, (int) thread.load64(at + QUEUE));
        long entry = thread.load64(at + COMPLETION_RING) + (long) y * CompletionEntry.BYTES;
        while (!CompletionEntry.isReady(thread, entry, y, LOG_ROWS)) {
            // It is still on its way.
        }
        return CompletionEntry.opcode(thread, entry);
    }

    /// Where a row is kept as it was, for as long as its neighbours need it.
    private static long scratch(DpaThread thread, long at, int y) {
        int slot = (y + SCRATCH_ROWS) % SCRATCH_ROWS;
        return thread.load64(at + SCRATCH) + slot * thread.load64(at + WIDTH);
    }

    private static void copy(DpaThread thread, long to, long from, long length) {
        for (long x = 0; x < length; x += Long.BYTES) {
            thread.store64(to + x, thread.load64(from + x));
        }
    }

    /// The edges of eight pixels from `x` on, between three rows.
    private static long edges(
            DpaThread thread, long above, long here, long below, long x, long last) {
        long top = thread.load64(above + x);
        long topLeft = left(thread, above, x, top);
        long topRight = right(thread, above, x, top, last);
        long middle = thread.load64(here + x);
        long middleLeft = left(thread, here, x, middle);
        long middleRight = right(thread, here, x, middle, last);
        long bottom = thread.load64(below + x);
        long bottomLeft = left(thread, below, x, bottom);
        long bottomRight = right(thread, below, x, bottom, last);
        long edges = 0;
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            int across =
                    weigh(topRight, middleRight, bottomRight, shift)
                            - weigh(topLeft, middleLeft, bottomLeft, shift);
            int down =
                    weigh(bottomLeft, bottom, bottomRight, shift)
                            - weigh(topLeft, top, topRight, shift);
            long edge = Math.min(BYTE, Math.abs(across) + Math.abs(down));
            edges |= edge << shift;
        }
        return edges;
    }

    /// The pixels to the left of those in `word`, which are at `x`.
    private static long left(DpaThread thread, long row, long x, long word) {
        return (word << Byte.SIZE) | (thread.load8(row + Math.max(x - 1, 0)) & BYTE);
    }

    private static long right(DpaThread thread, long row, long x, long word, long last) {
        long next = thread.load8(row + Math.min(x + Long.BYTES, last)) & BYTE;
        return (word >>> Byte.SIZE) | (next << (Long.SIZE - Byte.SIZE));
    }

    private static int weigh(long a, long b, long c, int shift) {
        return byteOf(a, shift) + 2 * byteOf(b, shift) + byteOf(c, shift);
    }

    private static int byteOf(long word, int shift) {
        return (int) (word >>> shift) & BYTE;
    }
}
