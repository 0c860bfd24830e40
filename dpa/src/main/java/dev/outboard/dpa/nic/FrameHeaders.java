package dev.outboard.dpa.nic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Where the headers of a frame are: IP, with any VLAN tags before it, and TCP or UDP. Its owner
/// uses it again and again; it allocates nothing. Whatever the frame says, only its own bytes are
/// read.
final class FrameHeaders {
    static final int TCP = 6;
    static final int UDP = 17;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int TYPE = 12;
    private static final int TYPE_BYTES = Short.BYTES;
    private static final int TAG_BYTES = 4;
    private static final int CUSTOMER_TAG = 0x8100;
    private static final int SERVICE_TAG = 0x88A8;
    private static final int IPV4 = 0x0800;
    private static final int IPV6 = 0x86DD;

    private static final int WORDS_MASK = 0xF;
    private static final int VERSION_SHIFT = 4;
    private static final int IPV4_LEAST_BYTES = 20;
    private static final int IPV4_LENGTH = 2;
    private static final int IPV4_FRAGMENT = 6;

    /// That more fragments come, and where this one begins.
    private static final int IPV4_FRAGMENT_MASK = 0x3FFF;

    private static final int IPV4_PROTOCOL = 9;

    private static final int IPV6_BYTES = 40;
    private static final int IPV6_LENGTH = 4;
    private static final int IPV6_NEXT = 6;
    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int DESTINATION_OPTIONS = 60;
    private static final int EXTENSION_UNIT = 8;
    private static final int SEGMENTS_LEFT = 3;

    private static final int TCP_LEAST_BYTES = 20;
    private static final int UDP_BYTES = 8;

    private MemorySegment frame = MemorySegment.NULL;
    private int lengthBytes;
    private int network;
    private int version;
    private int transport;
    private int protocol;

    /// Looks for the headers of a frame, which may be nothing but headers.
    ///
    /// @param bytes stays as it is while the answers are asked for
    void find(MemorySegment bytes, int length) {
        frame = bytes;
        lengthBytes = length;
        version = 0;
        protocol = 0;
        int at = TYPE;
        while (has(at, TYPE_BYTES) && isTag(load16(frame, at))) {
            at += TAG_BYTES;
        }
        int type = has(at, TYPE_BYTES) ? load16(frame, at) : 0;
        if (type == IPV4) {
            findVersion4(at + TYPE_BYTES);
        } else if (type == IPV6) {
            findVersion6(at + TYPE_BYTES);
        }
    }

    private boolean has(int at, int bytes) {
        return at + bytes <= lengthBytes;
    }

    private static boolean isTag(int type) {
        return type == CUSTOMER_TAG || type == SERVICE_TAG;
    }

    private boolean isVersion(int at, int expected) {
        return load8(frame, at) >>> VERSION_SHIFT == expected;
    }

    private void findVersion4(int at) {
        if (!has(at, IPV4_LEAST_BYTES) || !isVersion(at, 4)) {
            return;
        }
        int headerBytes = (load8(frame, at) & WORDS_MASK) * Integer.BYTES;
        if (headerBytes < IPV4_LEAST_BYTES || !has(at, headerBytes)) {
            return;
        }
        network = at;
        version = 4;
        if ((load16(frame, at + IPV4_FRAGMENT) & IPV4_FRAGMENT_MASK) == 0) {
            findTransport(at + headerBytes, load8(frame, at + IPV4_PROTOCOL));
        }
    }

    /// A route whose end is not reached has another destination than the checksum is about.
    private void findVersion6(int network6) {
        if (!has(network6, IPV6_BYTES) || !isVersion(network6, 6)) {
            return;
        }
        network = network6;
        version = 6;
        int next = load8(frame, network6 + IPV6_NEXT);
        int at = network6 + IPV6_BYTES;
        while (next == HOP_BY_HOP || next == ROUTING || next == DESTINATION_OPTIONS) {
            if (!has(at, EXTENSION_UNIT)
                    || (next == ROUTING && load8(frame, at + SEGMENTS_LEFT) != 0)) {
                return;
            }
            next = load8(frame, at);
            at += EXTENSION_UNIT * (1 + load8(frame, at + 1));
        }
        findTransport(at, next);
    }

    private void findTransport(int at, int found) {
        boolean isTcp = found == TCP && has(at, TCP_LEAST_BYTES);
        boolean isUdp = found == UDP && has(at, UDP_BYTES);
        if (isTcp || isUdp) {
            transport = at;
            protocol = found;
        }
    }

    /// The version of IP, or 0 if it is something else.
    int version() {
        return version;
    }

    /// Where the IP header begins, if there is one.
    int network() {
        return network;
    }

    /// Where the IPv4 header ends, if there is one.
    int networkEnd4() {
        return network + (load8(frame, network) & WORDS_MASK) * Integer.BYTES;
    }

    /// [#TCP], [#UDP], or 0 if it is something else or a fragment.
    int protocol() {
        return protocol;
    }

    /// Where the header of TCP or UDP begins, if there is one.
    int transport() {
        return transport;
    }

    /// Where the IP packet ends, as its header says. That may be anywhere.
    int packetEnd() {
        return version == 4
                ? network + load16(frame, network + IPV4_LENGTH)
                : network + IPV6_BYTES + load16(frame, network + IPV6_LENGTH);
    }

    /// Makes the header of an IP packet that begins there say where it ends.
    void setPacketEnd(MemorySegment packet, int end) {
        if (version == 4) {
            put16(packet, network + IPV4_LENGTH, end - network);
        } else {
            put16(packet, network + IPV6_LENGTH, end - network - IPV6_BYTES);
        }
    }

    static int load8(MemorySegment frame, int at) {
        return Byte.toUnsignedInt(frame.get(ValueLayout.JAVA_BYTE, at));
    }

    static int load16(MemorySegment frame, int at) {
        return Short.toUnsignedInt(frame.get(SHORT, at));
    }

    static int load32(MemorySegment frame, int at) {
        return frame.get(INT, at);
    }

    static void put8(MemorySegment frame, int at, int value) {
        frame.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }

    static void put16(MemorySegment frame, int at, int value) {
        frame.set(SHORT, at, (short) value);
    }

    static void put32(MemorySegment frame, int at, int value) {
        frame.set(INT, at, value);
    }
}
