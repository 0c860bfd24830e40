package dev.outboard.naa.server;

/// Lets so many things of a kind pass per second and counts the others. The time is a parameter, as
/// [System#nanoTime] counts it. One thread at a time.
final class LineRate {
    private static final long SECOND_NANOS = 1_000_000_000;

    private final int perSecond;
    private boolean begun;
    private long secondNanos;
    private int passed;
    private int leftOut;

    /// What becomes of one thing.
    ///
    /// @param leftOut how many before it did not pass and were not told yet
    record Verdict(boolean passes, int leftOut) {}

    LineRate(int perSecond) {
        this.perSecond = perSecond;
    }

    /// Whether the next one passes. The first of a second tells how many of the second before did
    /// not.
    Verdict next(long nowNanos) {
        int told = 0;
        if (!begun || nowNanos - secondNanos >= SECOND_NANOS) {
            begun = true;
            secondNanos = nowNanos;
            told = leftOut;
            passed = 0;
            leftOut = 0;
        }
        if (passed < perSecond) {
            passed++;
            return new Verdict(true, told);
        }
        leftOut++;
        return new Verdict(false, told);
    }
}
