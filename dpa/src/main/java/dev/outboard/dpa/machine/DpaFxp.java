package dev.outboard.dpa.machine;

import java.math.BigInteger;

/// DPA-INT-7, DPA-INT-8, DPA-INT-9, DPA-INT-10, DPA-INT-11, DPA-INT-12: the fixed-point functions
/// of the DPA, for device and host alike. Q16.16 has 16 bits before the point and 16 after it. All
/// three round the exact value to nearest; double arithmetic would not do, since some exact values
/// lie too near half-way between two results.
public final class DpaFxp {

    /// 1.0 in Q16.16.
    public static final int ONE = 1 << 16;

    /// What [#log2] gives for 0.
    public static final int LOG2_OF_ZERO = Integer.MIN_VALUE;

    private static final int FRACTION_BITS = 16;

    /// From here on, two to the power of the operand is more than an int holds.
    private static final int POW2_TOO_GREAT = 15 * ONE;

    /// DPA-INT-10: up to here, two to the power of the operand is nearer to 0 than to the smallest
    /// result; this one is half of it, which goes to the even one.
    private static final int POW2_TOO_SMALL = -17 * ONE;

    /// Element k is two to the power of 2^-(k+1), in 63 bits after the point, as an unsigned
    /// number. A product of all of them is at most 2^-58 too small, relatively: enough, as no
    /// result of [#pow2] is so near to half-way (the tests go through all of them).
    private static final long[] ROOTS_OF_TWO = rootsOfTwo();

    private DpaFxp() {}

    /// DPA-INT-7: Q16.16 of the binary logarithm of an unsigned integer; of 0, [#LOG2_OF_ZERO].
    public static int log2(int operand) {
        if (operand == 0) {
            return LOG2_OF_ZERO;
        }
        int zeros = Integer.numberOfLeadingZeros(operand);
        int result = Integer.SIZE - 1 - zeros;
        // The operand over a power of two, from 1 up to 2, in 63 bits after the point. Squared, it
        // is 2 or more if the next bit of the logarithm is 1. One bit more than the result has
        // tells how to round; no logarithm but that of a power of two is half-way.
        long power = (operand & 0xFFFF_FFFFL) << (Integer.SIZE + zeros);
        for (int bit = 0; bit <= FRACTION_BITS; bit++) {
            long square = Math.unsignedMultiplyHigh(power, power);
            result <<= 1;
            if (square < 0) {
                result |= 1;
                power = square;
            } else {
                power = square << 1;
            }
        }
        return (result + 1) >> 1;
    }

    /// DPA-INT-8: the logarithm of a number in Q16.16, smaller by exactly 16.0; of 0,
    /// [#LOG2_OF_ZERO].
    public static int log2OfQ16(int operand) {
        return operand == 0 ? LOG2_OF_ZERO : log2(operand) - 16 * ONE;
    }

    /// DPA-INT-9: Q16.16 of the reciprocal of a number in Q16.16, saturated; of 0, the greatest
    /// number.
    public static int rcp(int operand) {
        if (operand == 0) {
            return Integer.MAX_VALUE;
        }
        long size = Math.abs((long) operand);
        long rounded = ((1L << 33) + size) / (2 * size);
        return operand > 0
                ? (int) Math.min(rounded, Integer.MAX_VALUE)
                : (int) Math.max(-rounded, Integer.MIN_VALUE);
    }

    /// DPA-INT-10: Q16.16 of two to the power of a number in Q16.16, saturated.
    public static int pow2(int operand) {
        if (operand >= POW2_TOO_GREAT) {
            return Integer.MAX_VALUE;
        }
        if (operand <= POW2_TOO_SMALL) {
            return 0;
        }
        // 2^(fraction of the operand), from 1 up to 2, in 63 bits after the point.
        long power = 1L << 63;
        for (int bit = 0; bit < FRACTION_BITS; bit++) {
            if ((operand >> (FRACTION_BITS - 1 - bit) & 1) != 0) {
                power = Math.unsignedMultiplyHigh(power, ROOTS_OF_TWO[bit]) << 1;
            }
        }
        int integer = operand >> FRACTION_BITS;
        // The result has 16 + integer bits before the point and one more to round with.
        int shift = 63 - 1 - FRACTION_BITS - integer;
        return (int) (((power >>> shift) + 1) >>> 1);
    }

    private static long[] rootsOfTwo() {
        long[] roots = new long[FRACTION_BITS];
        BigInteger root = BigInteger.ONE.shiftLeft(2 * 128 + 1);
        for (int k = 0; k < roots.length; k++) {
            root = root.sqrt();
            roots[k] = root.shiftRight(128 - 63).longValue();
            root = root.shiftLeft(128);
        }
        return roots;
    }
}
