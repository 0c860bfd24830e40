package dev.outboard.node.offload;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaLibrary;

/// The rows of an edge detection in device code, as
/// [EdgeDetection][dev.outboard.node.routine.EdgeDetection] has them: of three rows a thread keeps
/// the luminance in DPA memory, a byte per pixel and one more on either side.
@DpaLibrary
public final class EdgeRows {
    private static final long ONE = 1;

    private EdgeRows() {}

    /// How long a row of luminance is, in bytes.
    public static long bytes(long width) {
        return width + 2 * ONE + Long.BYTES - 1 & -Long.BYTES;
    }

    /// Loads the luminance of a row.
    ///
    /// @param pixels where the first row of the image is, a multiple of 8
    /// @param y which row
    /// @param row where its luminance goes
    public static void load(
            DpaThread thread, long pixels, long width, long channels, long y, long row) {
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

    /// Stores the edges between three rows of luminance.
    ///
    /// @param edges where they go, a byte per pixel
    public static void store(
            DpaThread thread, long edges, long width, long above, long here, long below) {
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
