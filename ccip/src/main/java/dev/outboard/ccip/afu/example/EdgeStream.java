package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.wire.Line;

/// Edges of an image by the Sobel operator, as its lines stream through: |Gx| + |Gy| of the
/// luminance, at most 255, a byte per pixel. Pixels beyond the border count as equal to the nearest
/// one inside. It holds three rows.
final class EdgeStream {
    static final int MOST_SIDE = 1 << 16;

    /// Edges that a line of pixels may complete: its own, and the last one of a row.
    private static final int MOST_OF_A_LINE = Line.BYTES + 1;

    private static final int ROOM = 4 * Line.BYTES;

    // Luminance as in ITU-R BT.601, in 256ths.
    private static final int[] WEIGHTS = {77, 150, 29};

    private final byte[] edges = new byte[ROOM];
    private int head;
    private int held;

    private int width;
    private int channels;
    private long bytesLeft;
    private long edgesLeft;
    private int rowsLeft;

    private int[] above = {};
    private int[] here = {};
    private int[] below = {};

    /// Of the pixel that comes: where it is, its next channel, and what the ones before weigh.
    private int x;

    private int y;
    private int channel;
    private int weight;

    /// Where the edges of the last row are.
    private int flushed;

    /// Begins an image.
    ///
    /// @param imageChannels 1 for gray, 3 for red, green and blue
    void begin(int imageWidth, int imageHeight, int imageChannels) {
        width = imageWidth;
        channels = imageChannels;
        rowsLeft = imageHeight;
        edgesLeft = (long) imageWidth * imageHeight;
        bytesLeft = edgesLeft * imageChannels;
        above = new int[imageWidth + 2];
        here = new int[imageWidth + 2];
        below = new int[imageWidth + 2];
        reset();
    }

    /// Forgets what has come.
    void reset() {
        head = 0;
        held = 0;
        x = 0;
        y = 0;
        channel = 0;
        weight = 0;
        flushed = 0;
    }

    /// Whether there is room for what a line completes.
    boolean wants() {
        return bytesLeft > 0 && held + MOST_OF_A_LINE <= ROOM;
    }

    /// Takes the next line of pixels.
    void take(long[] line) {
        int count = (int) Math.min(bytesLeft, Line.BYTES);
        bytesLeft -= count;
        for (int i = 0; i < count; i++) {
            value((int) (line[i >> 3] >>> (i << 3)) & 0xFF);
        }
    }

    private void value(int value) {
        if (channels == 1) {
            pixel(value);
            return;
        }
        weight += WEIGHTS[channel] * value;
        channel++;
        if (channel == channels) {
            pixel((weight + 128) >> 8);
            channel = 0;
            weight = 0;
        }
    }

    private void pixel(int luminance) {
        below[x + 1] = luminance;
        if (x == 0) {
            below[0] = luminance;
        } else if (y > 0) {
            edge(x - 1, below);
        }
        x++;
        if (x == width) {
            endRow(luminance);
        }
    }

    private void endRow(int last) {
        below[width + 1] = last;
        if (y > 0) {
            edge(width - 1, below);
        }
        if (y == 0) {
            System.arraycopy(below, 0, above, 0, below.length);
            System.arraycopy(below, 0, here, 0, below.length);
        } else {
            int[] free = above;
            above = here;
            here = below;
            below = free;
        }
        x = 0;
        y++;
        rowsLeft--;
    }

    /// The edge in a column of the row before the one that comes.
    private void edge(int column, int[] next) {
        int left = above[column] + 2 * here[column] + next[column];
        int right = above[column + 2] + 2 * here[column + 2] + next[column + 2];
        int top = above[column] + 2 * above[column + 1] + above[column + 2];
        int bottom = next[column] + 2 * next[column + 1] + next[column + 2];
        int sum = Math.abs(right - left) + Math.abs(bottom - top);
        edges[head + held & ROOM - 1] = (byte) Math.min(255, sum);
        held++;
    }

    /// Whether all pixels have come, and edges of the last row are left.
    boolean canFlush() {
        return rowsLeft == 0 && flushed < width && held + Line.BYTES <= ROOM;
    }

    /// Completes as many of those as fit into a line.
    void flush() {
        int end = Math.min(width, flushed + Line.BYTES);
        while (flushed < end) {
            edge(flushed, here);
            flushed++;
        }
    }

    /// Whether a line of edges is there, or what is left of the last one.
    boolean has() {
        return held >= Line.BYTES || (held > 0 && held == edgesLeft);
    }

    /// Gives the next line of edges; behind the last edge are zeros.
    void give(long[] line) {
        int count = Math.min(held, Line.BYTES);
        for (int i = 0; i < Line.LONGS; i++) {
            long word = 0;
            for (int j = 0; j < Long.BYTES && Long.BYTES * i + j < count; j++) {
                word |= (edges[head + Long.BYTES * i + j & ROOM - 1] & 0xFFL) << (j << 3);
            }
            line[i] = word;
        }
        head = head + count & ROOM - 1;
        held -= count;
        edgesLeft -= count;
    }

    /// Whether all edges were given.
    boolean isDone() {
        return edgesLeft == 0;
    }
}
