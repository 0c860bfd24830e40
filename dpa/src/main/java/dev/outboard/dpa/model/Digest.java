package dev.outboard.dpa.model;

/// A 128-bit digest of a state, built up number by number. Two states that differ have different
/// digests but for a chance of about n²/2^129 among n states, so that a set of digests can stand
/// for the set of states. Not thread-safe.
public final class Digest {
    private static final long FIRST_KEY = 0x9E37_79B9_7F4A_7C15L;
    private static final long SECOND_KEY = 0xC2B2_AE3D_27D4_EB4FL;

    private long high = FIRST_KEY;
    private long low = SECOND_KEY;

    /// Makes it that of nothing.
    public Digest clear() {
        high = FIRST_KEY;
        low = SECOND_KEY;
        return this;
    }

    /// Adds a number.
    public void add(long value) {
        high = fold(high + value, SECOND_KEY);
        low = fold(low ^ Long.rotateLeft(value, 29), FIRST_KEY) + value;
    }

    /// Both halves of a product, so that every bit of the value reaches every bit of the result.
    private static long fold(long value, long key) {
        long mixed = value ^ (value >>> 32);
        return Math.multiplyHigh(mixed, key) ^ (mixed * key) ^ Long.rotateLeft(value, 23);
    }

    /// The upper half.
    public long high() {
        return fold(high ^ Long.rotateLeft(low, 32), FIRST_KEY);
    }

    /// The lower half.
    public long low() {
        return fold(low + high, SECOND_KEY);
    }
}
