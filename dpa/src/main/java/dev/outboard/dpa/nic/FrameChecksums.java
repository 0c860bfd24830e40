package dev.outboard.dpa.nic;

import static dev.outboard.dpa.nic.FrameHeaders.load16;
import static dev.outboard.dpa.nic.FrameHeaders.load32;
import static dev.outboard.dpa.nic.FrameHeaders.load8;
import static dev.outboard.dpa.nic.FrameHeaders.put16;

import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.EthernetSegment;
import java.lang.foreign.MemorySegment;

/// DPA-FXQ-8d: the checksums of frames: fills them in and checks them. What is not there, or is not
/// whole, is left alone. Each queue has one, and uses it again and again.
final class FrameChecksums {
    private static final int RIGHT = 0xFFFF;
    private static final int MASK = 0xFFFF;

    private static final int IPV4_CHECKSUM = 10;
    private static final int IPV4_ADDRESSES = 12;
    private static final int IPV4_ADDRESSES_END = 20;
    private static final int IPV6_ADDRESSES = 8;
    private static final int IPV6_ADDRESSES_END = 40;
    private static final int TCP_CHECKSUM = 16;
    private static final int TCP_LEAST_BYTES = 20;
    private static final int UDP_CHECKSUM = 6;
    private static final int UDP_LENGTH = 4;
    private static final int UDP_BYTES = 8;

    private final FrameHeaders headers = new FrameHeaders();

    /// Fills in what is asked for.
    ///
    /// @param flags those of [EthernetSegment]
    void insert(MemorySegment frame, int lengthBytes, int flags) {
        if (flags == 0) {
            return;
        }
        headers.find(frame, lengthBytes);
        if ((flags & EthernetSegment.L3_CHECKSUM) != 0 && headers.version() == 4) {
            int at = headers.network() + IPV4_CHECKSUM;
            put16(frame, at, 0);
            put16(frame, at, ~networkSum(frame));
        }
        int end = transportEnd(frame, lengthBytes);
        if ((flags & EthernetSegment.L4_CHECKSUM) != 0 && end != 0) {
            int at = transportChecksum();
            put16(frame, at, 0);
            int checksum = ~transportSum(frame, end) & MASK;
            boolean meansNone = headers.protocol() == FrameHeaders.UDP && checksum == 0;
            put16(frame, at, meansNone ? MASK : checksum);
        }
    }

    /// Which checksums are right.
    ///
    /// @return bits of [CompletionEntry#checksumsOk]
    int check(MemorySegment frame, int lengthBytes) {
        headers.find(frame, lengthBytes);
        boolean network =
                headers.version() == 6 || (headers.version() == 4 && networkSum(frame) == RIGHT);
        int end = transportEnd(frame, lengthBytes);
        boolean transport = end != 0 && hasChecksum(frame) && transportSum(frame, end) == RIGHT;
        return (network ? CompletionEntry.L3_OK : 0) | (transport ? CompletionEntry.L4_OK : 0);
    }

    private boolean hasChecksum(MemorySegment frame) {
        return headers.protocol() == FrameHeaders.TCP || load16(frame, transportChecksum()) != 0;
    }

    private int transportChecksum() {
        boolean isTcp = headers.protocol() == FrameHeaders.TCP;
        return headers.transport() + (isTcp ? TCP_CHECKSUM : UDP_CHECKSUM);
    }

    /// Where that ends which the checksum of TCP or UDP is about, or 0 if it is not whole: padding
    /// of the frame may follow.
    private int transportEnd(MemorySegment frame, int lengthBytes) {
        int at = headers.transport();
        int packetEnd = headers.protocol() == 0 ? 0 : headers.packetEnd();
        boolean isWhole = packetEnd <= lengthBytes;
        return switch (headers.protocol()) {
            case FrameHeaders.TCP -> isWhole && packetEnd - at >= TCP_LEAST_BYTES ? packetEnd : 0;
            case FrameHeaders.UDP -> {
                int length = load16(frame, at + UDP_LENGTH);
                boolean fits = length >= UDP_BYTES && at + length <= packetEnd;
                yield isWhole && fits ? at + length : 0;
            }
            default -> 0;
        };
    }

    private int networkSum(MemorySegment frame) {
        return folded(sum(frame, headers.network(), headers.networkEnd4()));
    }

    /// With the pseudo-header: addresses, protocol and length.
    private int transportSum(MemorySegment frame, int end) {
        int network = headers.network();
        int at = headers.transport();
        long addresses =
                headers.version() == 4
                        ? sum(frame, network + IPV4_ADDRESSES, network + IPV4_ADDRESSES_END)
                        : sum(frame, network + IPV6_ADDRESSES, network + IPV6_ADDRESSES_END);
        return folded(addresses + headers.protocol() + (end - at) + sum(frame, at, end));
    }

    /// The sum of words of 16 bits, two at a time: what is carried out of the low one stays in the
    /// high one.
    private static long sum(MemorySegment frame, int from, int end) {
        long sum = 0;
        int at = from;
        for (; at + Integer.BYTES <= end; at += Integer.BYTES) {
            sum += Integer.toUnsignedLong(load32(frame, at));
        }
        for (; at < end; at++) {
            boolean isHigh = (at - from) % Short.BYTES == 0;
            sum += (long) load8(frame, at) << (isHigh ? Byte.SIZE : 0);
        }
        return sum;
    }

    private static int folded(long sum) {
        long left = sum;
        while (left > MASK) {
            left = (left >>> Short.SIZE) + (left & MASK);
        }
        return (int) left;
    }
}
