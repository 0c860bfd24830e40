package dev.outboard.ccip.wire;

import java.math.BigInteger;

/// Headers of Tx channels as one number.
final class Headers {
    private static final int LOW_BITS = Long.SIZE;
    private static final BigInteger LOW =
            BigInteger.ONE.shiftLeft(LOW_BITS).subtract(BigInteger.ONE);

    private Headers() {}

    static BigInteger of(int high, long low) {
        return BigInteger.valueOf(high).shiftLeft(LOW_BITS).or(BigInteger.valueOf(low).and(LOW));
    }

    static void set(BigInteger header, C0Tx c0) {
        c0.hdrHigh = header.shiftRight(LOW_BITS).intValueExact();
        c0.hdrLow = header.longValue();
    }

    static void set(BigInteger header, C1Tx c1) {
        c1.hdrHigh = header.shiftRight(LOW_BITS).intValueExact();
        c1.hdrLow = header.longValue();
    }
}
