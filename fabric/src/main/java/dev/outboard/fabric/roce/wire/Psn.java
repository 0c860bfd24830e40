package dev.outboard.fabric.roce.wire;

/// Arithmetic of 24-bit numbers that wrap: packet sequence numbers and message sequence numbers. A
/// number is an `int` in 0 to [#MASK]; the results are, too.
///
/// Source: spec/roce.md, 3.2: modulo 2²⁴, and of two numbers the one that lies less than 2²³ behind
/// the other is the earlier.
///
/// ROCE-RC-4: sequence numbers are counted modulo 2^24.
public final class Psn {
    public static final int MODULUS = 1 << 24;
    public static final int MASK = MODULUS - 1;

    private static final int UNUSED_BITS = Integer.SIZE - 24;

    private Psn() {}

    /// The number `count` behind `psn`; a negative count goes back.
    public static int add(int psn, int count) {
        return (psn + count) & MASK;
    }

    public static int next(int psn) {
        return add(psn, 1);
    }

    /// How far `a` is ahead of `b`: −2²³ to 2²³ − 1, negative when `a` is the earlier.
    public static int difference(int a, int b) {
        return ((a - b) << UNUSED_BITS) >> UNUSED_BITS;
    }
}
