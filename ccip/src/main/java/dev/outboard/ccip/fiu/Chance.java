package dev.outboard.ccip.fiu;

import dev.outboard.ccip.wire.Line;

/// Seeded chance (xorshift64*), quick enough to be asked in every cycle. The same seed gives the
/// same run.
final class Chance {
    private long state;

    Chance(long seed) {
        long mixed = (seed ^ 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        state = (mixed ^ (mixed >>> 31)) | 1;
    }

    long next() {
        state ^= state >>> 12;
        state ^= state << 25;
        state ^= state >>> 27;
        return state * 0x2545F4914F6CDD1DL;
    }

    /// One of 0 to `bound - 1`.
    int below(int bound) {
        return (int) (((next() >>> 32) * bound) >>> 32);
    }

    /// True in `numerator` of 256 cases.
    boolean in256(int numerator) {
        return next() >>> 56 < numerator;
    }

    /// Fills a line of `data`, from element `at` on.
    void fillLine(long[] data, int at) {
        for (int i = at; i < at + Line.LONGS; i++) {
            data[i] = next();
        }
    }
}
