package dev.outboard.ccip.checker;

import dev.outboard.ccip.wire.Line;

/// What lines of memory hold by the writes of one AFU, as far as that is certain. They begin with
/// zeros.
final class ExpectedLines {
    private final long[] words;
    private final boolean[] isUncertain;

    ExpectedLines(int lines) {
        words = new long[lines * Line.LONGS];
        isUncertain = new boolean[lines];
    }

    /// A line was written.
    void write(int line, long[] data) {
        System.arraycopy(data, 0, words, line * Line.LONGS, Line.LONGS);
        isUncertain[line] = false;
    }

    /// Some bytes of a line were written.
    void writeBytes(int line, long[] data, int start, int length) {
        for (int i = start; i < start + length; i++) {
            int word = line * Line.LONGS + i / Long.BYTES;
            long mask = 0xFFL << (i % Long.BYTES * Byte.SIZE);
            words[word] = (words[word] & ~mask) | (data[i / Long.BYTES] & mask);
        }
    }

    /// A write of the line may have been lost.
    void doubt(int line) {
        isUncertain[line] = true;
    }

    /// Whether a line may hold these data.
    boolean mayBe(int line, long[] data) {
        boolean isSame = true;
        for (int i = 0; i < Line.LONGS; i++) {
            isSame &= words[line * Line.LONGS + i] == data[i];
        }
        return isSame || isUncertain[line];
    }
}
