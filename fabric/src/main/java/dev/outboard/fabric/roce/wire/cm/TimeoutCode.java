package dev.outboard.fabric.roce.wire.cm;

import java.util.concurrent.TimeUnit;

/// The 5-bit time codes of CM messages: 4.096 µs·2^code, as Linux rounds them.
public final class TimeoutCode {
    public static final int MAX = 31;

    private TimeoutCode() {}

    /// Linux takes 4.096 µs·2^8 for one millisecond, and that for the shortest time.
    public static long nanos(int code) {
        return TimeUnit.MILLISECONDS.toNanos(1L << Math.max(code - 8, 0));
    }

    /// The code of a round trip on the path and the delay of the acknowledgement together, added in
    /// powers of two, as Linux does.
    public static int ackTimeout(int ackDelay, int packetLifetime) {
        int roundTrip = packetLifetime + 1;
        int sum =
                roundTrip >= ackDelay
                        ? roundTrip + (ackDelay >= roundTrip - 1 ? 1 : 0)
                        : ackDelay + (roundTrip >= ackDelay - 1 ? 1 : 0);
        return Math.min(MAX, sum);
    }
}
