package dev.outboard.ccip.wire;

/// A cache line, the unit of memory traffic: 64 bytes, on the port 512 bits.
public final class Line {
    /// Bytes of a line.
    public static final int BYTES = 64;

    /// A line as an array: element 0 holds bytes 0 to 7, little-endian.
    public static final int LONGS = 8;

    private Line() {}

    /// Copies a line.
    public static void copy(long[] from, long[] to) {
        System.arraycopy(from, 0, to, 0, LONGS);
    }
}
