package dev.outboard.ccip.wire;

/// How many cache lines a request covers (`cl_len`, and `cl_num` of a packed response; CCI-P manual
/// 1.3.7).
public enum LineCount {
    ONE(0, 1),
    TWO(1, 2),
    FOUR(3, 4);

    private final int code;
    private final int lines;

    LineCount(int code, int lines) {
        this.code = code;
        this.lines = lines;
    }

    /// The count of a code of two bits.
    ///
    /// CCIP-ENC-6: code 2 is none.
    ///
    /// @throws IllegalArgumentException for 2, which would mean three lines
    public static LineCount of(int code) {
        return switch (code) {
            case 0 -> ONE;
            case 1 -> TWO;
            case 3 -> FOUR;
            default -> throw Reserved.code("cl_len", code, "0 (1 line), 1 (2 lines), 3 (4 lines)");
        };
    }

    /// The count of 1, 2 or 4 lines.
    ///
    /// @throws IllegalArgumentException for any other number
    public static LineCount ofLines(int lines) {
        return switch (lines) {
            case 1 -> ONE;
            case 2 -> TWO;
            case 4 -> FOUR;
            default ->
                    throw new IllegalArgumentException(
                            "A request of " + lines + " lines; valid are 1, 2 and 4");
        };
    }

    /// The largest count, up to `most`, of a request that begins at line `address`, which is a
    /// multiple of it, and covers no more than `lines` lines, at least one.
    public static LineCount fitting(long address, long lines, LineCount most) {
        if (most == FOUR && lines >= 4 && (address & 3) == 0) {
            return FOUR;
        }
        return most != ONE && lines >= 2 && (address & 1) == 0 ? TWO : ONE;
    }

    /// The two bits on the wire.
    public int code() {
        return code;
    }

    /// 1, 2 or 4.
    public int lines() {
        return lines;
    }
}
