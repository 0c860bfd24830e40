package dev.outboard.ccip.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The port as the two packed structures of the public SystemVerilog package `ccip_if_pkg`: what a
/// simulator of hardware descriptions exchanges, and what a trace can keep. Bit 0 of a structure is
/// bit 0 of the first byte.
///
/// Every bit of every field survives, reserved ones included, so that a checker sees what an AFU
/// drove. Power state, error and soft reset are wires beside the structures and not in the images.
public final class PortImage {
    /// Bits of `t_if_ccip_Rx`.
    public static final int RX_BITS = 574;

    /// Bits of `t_if_ccip_Tx`.
    public static final int TX_BITS = 742;

    /// Bytes that an image of `t_if_ccip_Rx` takes: whole words of 64 bits, the unused bits 0.
    public static final int RX_BYTES = 72;

    /// Bytes that an image of `t_if_ccip_Tx` takes: whole words of 64 bits, the unused bits 0.
    public static final int TX_BYTES = 96;

    private static final ValueLayout.OfLong WORD =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    // Where fields of an Rx image lie: bits of word 0, then of the last word.
    private static final int RX_C1_HDR = 1;
    private static final int RX_MMIO_WR_VALID = 29;
    private static final int RX_MMIO_RD_VALID = 30;
    private static final int RX_C0_RSP_VALID = 31;
    private static final int RX_C0_DATA = 32;
    private static final int RX_C0_HDR = 32;
    private static final int RX_C1_ALMOST_FULL = 60;
    private static final int RX_C0_ALMOST_FULL = 61;

    // Where fields of a Tx image lie: bits of word 1, then of words 9, 10 and 11.
    private static final int TX_TID = 1;
    private static final int TX_TID_MASK = (1 << 9) - 1;
    private static final int TX_C1_VALID = 10;
    private static final int TX_C1_DATA = 11;
    private static final int TX_C1_HDR = 11;
    private static final int TX_C1_HDR_HIGH = 11;
    private static final int TX_C0_VALID = 27;
    private static final int TX_C0_HDR = 28;
    private static final int TX_C0_HDR_HIGH = 28;
    private static final int TX_C1_HDR_HIGH_MASK = (1 << 16) - 1;
    private static final int TX_C0_HDR_HIGH_MASK = (1 << 10) - 1;

    private PortImage() {}

    /// Writes the wires of `t_if_ccip_Rx` to the first [#RX_BYTES] bytes of `image`.
    ///
    /// CCIP-SIG-10, CCIP-SIG-20: t_if_ccip_Rx, bit by bit.
    public static void pack(Rx rx, MemorySegment image) {
        long[] data = rx.c0.data;
        put(
                image,
                0,
                bit(rx.c1.rspValid, 0)
                        | (long) (rx.c1.hdr & C0Rx.HDR_MASK) << RX_C1_HDR
                        | bit(rx.c0.mmioWrValid, RX_MMIO_WR_VALID)
                        | bit(rx.c0.mmioRdValid, RX_MMIO_RD_VALID)
                        | bit(rx.c0.rspValid, RX_C0_RSP_VALID)
                        | data[0] << RX_C0_DATA);
        for (int i = 1; i < Line.LONGS; i++) {
            put(image, i, span(data[i - 1], data[i], Long.SIZE - RX_C0_DATA));
        }
        put(
                image,
                Line.LONGS,
                data[Line.LONGS - 1] >>> (Long.SIZE - RX_C0_DATA)
                        | (long) (rx.c0.hdr & C0Rx.HDR_MASK) << RX_C0_HDR
                        | bit(rx.c1TxAlmFull, RX_C1_ALMOST_FULL)
                        | bit(rx.c0TxAlmFull, RX_C0_ALMOST_FULL));
    }

    /// Sets the wires of `t_if_ccip_Rx` from the first [#RX_BYTES] bytes of `image`.
    public static void unpack(MemorySegment image, Rx rx) {
        long word = get(image, 0);
        rx.c1.rspValid = isSet(word, 0);
        rx.c1.hdr = (int) (word >>> RX_C1_HDR) & C0Rx.HDR_MASK;
        rx.c0.mmioWrValid = isSet(word, RX_MMIO_WR_VALID);
        rx.c0.mmioRdValid = isSet(word, RX_MMIO_RD_VALID);
        rx.c0.rspValid = isSet(word, RX_C0_RSP_VALID);
        for (int i = 0; i < Line.LONGS; i++) {
            long next = get(image, i + 1);
            rx.c0.data[i] = span(word, next, RX_C0_DATA);
            word = next;
        }
        rx.c0.hdr = (int) (word >>> RX_C0_HDR) & C0Rx.HDR_MASK;
        rx.c1TxAlmFull = isSet(word, RX_C1_ALMOST_FULL);
        rx.c0TxAlmFull = isSet(word, RX_C0_ALMOST_FULL);
    }

    /// Writes the wires of `t_if_ccip_Tx` to the first [#TX_BYTES] bytes of `image`.
    ///
    /// CCIP-SIG-10, CCIP-SIG-20: t_if_ccip_Tx, bit by bit.
    public static void pack(Tx tx, MemorySegment image) {
        long[] data = tx.c1.data;
        put(image, 0, tx.c2.data);
        put(
                image,
                1,
                bit(tx.c2.mmioRdValid, 0)
                        | (long) (tx.c2.tid & TX_TID_MASK) << TX_TID
                        | bit(tx.c1.valid, TX_C1_VALID)
                        | data[0] << TX_C1_DATA);
        for (int i = 1; i < Line.LONGS; i++) {
            put(image, i + 1, span(data[i - 1], data[i], Long.SIZE - TX_C1_DATA));
        }
        put(image, 9, span(data[Line.LONGS - 1], tx.c1.hdrLow, Long.SIZE - TX_C1_DATA));
        put(
                image,
                10,
                tx.c1.hdrLow >>> (Long.SIZE - TX_C1_HDR)
                        | (long) (tx.c1.hdrHigh & TX_C1_HDR_HIGH_MASK) << TX_C1_HDR_HIGH
                        | bit(tx.c0.valid, TX_C0_VALID)
                        | tx.c0.hdrLow << TX_C0_HDR);
        put(
                image,
                11,
                tx.c0.hdrLow >>> (Long.SIZE - TX_C0_HDR)
                        | (long) (tx.c0.hdrHigh & TX_C0_HDR_HIGH_MASK) << TX_C0_HDR_HIGH);
    }

    /// Sets the wires of `t_if_ccip_Tx` from the first [#TX_BYTES] bytes of `image`.
    public static void unpack(MemorySegment image, Tx tx) {
        tx.c2.data = get(image, 0);
        long word = get(image, 1);
        tx.c2.mmioRdValid = isSet(word, 0);
        tx.c2.tid = (int) (word >>> TX_TID) & TX_TID_MASK;
        tx.c1.valid = isSet(word, TX_C1_VALID);
        for (int i = 0; i < Line.LONGS; i++) {
            long next = get(image, i + 2);
            tx.c1.data[i] = span(word, next, TX_C1_DATA);
            word = next;
        }
        long next = get(image, 10);
        tx.c1.hdrLow = span(word, next, TX_C1_HDR);
        tx.c1.hdrHigh = (int) (next >>> TX_C1_HDR_HIGH) & TX_C1_HDR_HIGH_MASK;
        tx.c0.valid = isSet(next, TX_C0_VALID);
        long last = get(image, 11);
        tx.c0.hdrLow = span(next, last, TX_C0_HDR);
        tx.c0.hdrHigh = (int) (last >>> TX_C0_HDR_HIGH) & TX_C0_HDR_HIGH_MASK;
    }

    private static long bit(boolean value, int at) {
        return value ? 1L << at : 0;
    }

    private static boolean isSet(long word, int at) {
        return (word >>> at & 1) != 0;
    }

    /// The 64 bits that begin at bit `from` of `low` and go on in `high`.
    private static long span(long low, long high, int from) {
        return low >>> from | high << (Long.SIZE - from);
    }

    private static long get(MemorySegment image, int word) {
        return image.get(WORD, (long) word * Long.BYTES);
    }

    private static void put(MemorySegment image, int word, long value) {
        image.set(WORD, (long) word * Long.BYTES, value);
    }
}
