package dev.outboard.node.offload;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevBuf;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// Edge detection on a data-path accelerator, as
/// [EdgeDetection][dev.outboard.node.routine.EdgeDetection] has it: each thread takes a band of
/// rows. Of three rows it keeps the luminance in DPA memory, a byte per pixel and one more on
/// either side.
@DpaProgram("edges")
final class EdgeKernels {
    // Words of what a thread is told.

    static final int PIXELS_KEY = 0;
    static final int PIXELS = 8;
    static final int EDGES_KEY = 16;
    static final int EDGES = 24;
    static final int WIDTH = 32;
    static final int HEIGHT = 40;
    static final int CHANNELS = 48;

    /// Where the rows of all threads are.
    static final int ROWS = 56;

    static final int ROWS_OF_A_THREAD = 3;

    private static final long ONE = 1;

    private EdgeKernels() {}

    /// How long a row of luminance is, in bytes.
    static long rowBytes(long width) {
        return width + 2 * ONE + Long.BYTES - 1 & -Long.BYTES;
    }

    @DpaGlobal
    static void detect(DpaThread thread, DpaAddr job) {
        long at = job.value();
        long height = thread.load64(at + HEIGHT);
        long rank = DocaDpaDev.threadRank(thread);
        long ranks = DocaDpaDev.numThreads(thread);
        long first = height * rank / ranks;
        long end = height * (rank + 1) / ranks;
        if (first == end) {
            return;
        }
        long bytes = rowBytes(thread.load64(at + WIDTH));
        long above = thread.load64(at + ROWS) + rank * ROWS_OF_A_THREAD * bytes;
        long here = above + bytes;
        long below = here + bytes;
        loadRow(thread, at, Math.max(first - 1, 0), above);
        loadRow(thread, at, first, here);
        for (long y = first; y < end; y++) {
            loadRow(thread, at, Math.min(y + 1, height - 1), below);
            storeEdges(thread, at, y, above, here, below);
            long free = above;
            above = here;
            here = below;
            below = free;
        }
    }

    /// The luminance of a row, with one more pixel on either side.
    private static void loadRow(DpaThread thread, long at, long y, long row) {
        long width = thread.load64(at + WIDTH);
        long channels = thread.load64(at + CHANNELS);
        long pixels =
                DocaDpaDevBuf.mmapGetExternalPtr(
                        thread, (int) thread.load64(at + PIXELS_KEY), thread.load64(at + PIXELS));
        long offset = y * width * channels;
        long word = thread.load64(pixels + (offset & -Long.BYTES));
        for (long x = 1; x <= width; x++) {
            long weighted = 0;
            for (int channel = 0; channel < channels; channel++) {
                if ((offset & (Long.BYTES - 1)) == 0) {
                    word = thread.load64(pixels + offset);
                }
                long value = (word >>> ((offset & (Long.BYTES - 1)) << 3)) & 0xFF;
                weighted += value * weight(channels, channel);
                offset++;
            }
            thread.store8(row + x, (int) ((weighted + 128) >> 8));
        }
        thread.store8(row, thread.load8(row + 1));
        thread.store8(row + width + 1, thread.load8(row + width));
    }

    /// Luminance as in ITU-R BT.601, in 256ths.
    private static long weight(long channels, int channel) {
        if (channels == 1) {
            return 256;
        }
        if (channel == 0) {
            return 77;
        }
        return channel == 1 ? 150 : 29;
    }

    private static void storeEdges(
            DpaThread thread, long at, long y, long above, long here, long below) {
        long width = thread.load64(at + WIDTH);
        long edges =
                DocaDpaDevBuf.mmapGetExternalPtr(
                                thread,
                                (int) thread.load64(at + EDGES_KEY),
                                thread.load64(at + EDGES))
                        + y * width;
        for (long x = 0; x < width; x++) {
            int left = column(thread, above + x, here + x, below + x);
            int right = column(thread, above + x + 2, here + x + 2, below + x + 2);
            int top = line(thread, above + x);
            int bottom = line(thread, below + x);
            int sum = Math.abs(right - left) + Math.abs(bottom - top);
            thread.store8(edges + x, Math.min(255, sum));
        }
    }

    private static int column(DpaThread thread, long a, long b, long c) {
        return unsigned(thread, a) + 2 * unsigned(thread, b) + unsigned(thread, c);
    }

    private static int line(DpaThread thread, long from) {
        return column(thread, from, from + 1, from + 2);
    }

    private static int unsigned(DpaThread thread, long address) {
        return thread.load8(address) & 0xFF;
    }
}
