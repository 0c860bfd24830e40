package dev.outboard.dpa.rv;

/// What instructions compute that Java has no operator for. All operands are registers.
final class Arithmetic {
    private static final long LOW_BITS = 0x7f7f_7f7f_7f7f_7f7fL;
    private static final long UNSIGNED = 0xffff_ffffL;

    private Arithmetic() {}

    /// The upper half of a signed number times an unsigned one.
    static long multiplyHighSignedUnsigned(long a, long b) {
        return Math.multiplyHigh(a, b) + (a & (b >> 63));
    }

    // Divisions: by zero all ones or the dividend; the least number by -1 overflows to itself, as
    // in Java.

    static long divide(long a, long b) {
        return b == 0 ? -1 : a / b;
    }

    static long divideUnsigned(long a, long b) {
        return b == 0 ? -1 : Long.divideUnsigned(a, b);
    }

    static long remainder(long a, long b) {
        return b == 0 ? a : a % b;
    }

    static long remainderUnsigned(long a, long b) {
        return b == 0 ? a : Long.remainderUnsigned(a, b);
    }

    static int divide(int a, int b) {
        return b == 0 ? -1 : a / b;
    }

    static int divideUnsigned(int a, int b) {
        return b == 0 ? -1 : Integer.divideUnsigned(a, b);
    }

    static int remainder(int a, int b) {
        return b == 0 ? a : a % b;
    }

    static int remainderUnsigned(int a, int b) {
        return b == 0 ? a : Integer.remainderUnsigned(a, b);
    }

    static long maxUnsigned(long a, long b) {
        return Long.compareUnsigned(a, b) >= 0 ? a : b;
    }

    static long minUnsigned(long a, long b) {
        return Long.compareUnsigned(a, b) <= 0 ? a : b;
    }

    /// All ones in each byte that is not zero.
    static long orBytes(long a) {
        long set = (((a & LOW_BITS) + LOW_BITS) | a) & ~LOW_BITS;
        return (set >>> 7) * 0xff;
    }

    /// The low word, without sign.
    static long unsigned(long a) {
        return a & UNSIGNED;
    }

    /// 1 if a is less than b, or 0.
    static long less(long a, long b) {
        return bit(a < b);
    }

    /// The same without signs.
    static long lessUnsigned(long a, long b) {
        return bit(Long.compareUnsigned(a, b) < 0);
    }

    /// 1 or 0.
    static long bit(boolean set) {
        return set ? 1 : 0;
    }
}
