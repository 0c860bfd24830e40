package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;

/// The ACK extended transport header: how a request fared, and how many messages are complete.
///
/// ```
/// 0  syndrome:8     1  MSN:24
/// ```
///
/// Source: spec/roce.md, 1.4 (layout) and 3.5 (syndromes). `at` is the offset of the header in the
/// segment.
///
/// ROCE-PKT-3: where each field of the header is.
public final class Aeth {
    public static final int LENGTH = 4;

    /// An acknowledgement without end-to-end credits, the one that is sent. Received ACKs may carry
    /// any credit count, and it is ignored.
    public static final int ACK = 0x1F;

    public static final int NAK_PSN_SEQUENCE_ERROR = 0x60;
    public static final int NAK_INVALID_REQUEST = 0x61;
    public static final int NAK_REMOTE_ACCESS_ERROR = 0x62;
    public static final int NAK_REMOTE_OPERATIONAL_ERROR = 0x63;
    public static final int NAK_INVALID_RD_REQUEST = 0x64;

    private static final int KIND_MASK = 0xE0;
    private static final int KIND_ACK = 0x00;
    private static final int KIND_RNR_NAK = 0x20;
    private static final int VALUE_MASK = 0x1F;
    private static final int SYNDROME_SHIFT = 24;

    /// The least wait per RNR timer code, in units of 10 µs (3.5). Code 0 is the longest.
    ///
    /// ROCE-RC-16: the wait of each of the 32 codes.
    private static final int[] RNR_TIMER = {
        65_536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, //
        256, 384, 512, 768, 1_024, 1_536, 2_048, 3_072, //
        4_096, 6_144, 8_192, 12_288, 16_384, 24_576, 32_768, 49_152
    };

    private static final long RNR_TIMER_UNIT_NANOS = 10_000;

    private Aeth() {}

    public static void write(MemorySegment segment, long at, int syndrome, int msn) {
        assert (msn & ~Psn.MASK) == 0 : msn;
        BigEndian.put32(segment, at, syndrome << SYNDROME_SHIFT | msn);
    }

    public static int syndrome(MemorySegment segment, long at) {
        return BigEndian.get8(segment, at);
    }

    public static int msn(MemorySegment segment, long at) {
        return BigEndian.get32(segment, at) & Psn.MASK;
    }

    /// ROCE-RC-8: any count of credits acknowledges, and none is heeded.
    public static boolean isAck(int syndrome) {
        return (syndrome & KIND_MASK) == KIND_ACK;
    }

    public static boolean isRnrNak(int syndrome) {
        return (syndrome & KIND_MASK) == KIND_RNR_NAK;
    }

    /// The syndrome of a receiver-not-ready NAK.
    public static int rnrNak(int timerCode) {
        assert (timerCode & ~VALUE_MASK) == 0 : timerCode;
        return KIND_RNR_NAK | timerCode;
    }

    /// The timer code (0 to 31) of an RNR NAK.
    public static int rnrTimerCode(int syndrome) {
        return syndrome & VALUE_MASK;
    }

    /// The time that a timer code of 0 to 31 stands for.
    public static long rnrTimerNanos(int timerCode) {
        return RNR_TIMER[timerCode] * RNR_TIMER_UNIT_NANOS;
    }
}
