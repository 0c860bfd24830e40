package dev.outboard.ccip.checker;

import dev.outboard.ccip.wire.Line;
import java.util.Arrays;

/// What lines of memory hold by the writes of one AFU, as far as that is certain. They begin with
/// zeros.
final class ExpectedLines {
    private final long firstLine;
    private final long[] words;
    private final boolean[] isUncertain;

    /// So many lines from this address on.
    ExpectedLines(long firstLine, int lines) {
        this.firstLine = firstLine;
        words = new long[lines * Line.LONGS];
        isUncertain = new boolean[lines];
    }

    /// A line was written.
    void write(long line, long[] data) {
        System.arraycopy(data, 0, words, index(line) * Line.LONGS, Line.LONGS);
        isUncertain[index(line)] = false;
    }

    /// Some bytes of a line were written.
    void writeBytes(long line, long[] data, int start, int length) {
        for (int i = start; i < start + length; i++) {
            int word = index(line) * Line.LONGS + i / Long.BYTES;
            long mask = 0xFFL << (i % Long.BYTES * Byte.SIZE);
            words[word] = (words[word] & ~mask) | (data[i / Long.BYTES] & mask);
        }
    }

    /// A write of the line may have been lost.
    void doubt(long line) {
        isUncertain[index(line)] = true;
    }

    /// Whether a line may hold these data.
    boolean mayBe(long line, long[] data) {
        int at = index(line) * Line.LONGS;
        return Arrays.equals(words, at, at + Line.LONGS, data, 0, Line.LONGS)
                || isUncertain[index(line)];
    }

    private int index(long line) {
        return (int) (line - firstLine);
    }
}
