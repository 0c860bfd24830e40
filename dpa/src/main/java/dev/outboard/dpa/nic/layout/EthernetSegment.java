package dev.outboard.dpa.nic.layout;

import dev.outboard.dpa.machine.MemoryAccess;

/// DPA-FXQ-8b: the Ethernet segment of a send entry: 16 bytes, big-endian, which follow the control
/// segment of each frame. The first bytes of the frame may stand in it and in the segments after
/// it; the data segments have the rest.
///
/// ```java
/// SendEntry.writeControl(thread, entry, index, SendEntry.SEND, queue, 3, completion);
/// EthernetSegment.write(thread, entry + SendEntry.SEGMENT_BYTES, 0);
/// DataSegment.write(thread, entry + 2 * SendEntry.SEGMENT_BYTES, lengthBytes, key, frame);
/// ```
///
/// DPA-FXQ-8d: a frame gets the checksums that its flags ask for, whatever stands in their place:
/// that of the IPv4 header, and that of TCP or UDP over IPv4 or IPv6, after any VLAN tags. Where
/// there is no such sum, nothing changes and the frame is sent: one that is not IP, or whose IP
/// header is cut off; for the second sum also a fragment, a packet that is longer than the frame,
/// and one with IPv6 headers other than options and a route whose end is reached.
///
/// DPA-FXQ-8d: an entry of opcode [SendEntry#LSO] has the headers of Ethernet, IP and TCP inline,
/// whole and with nothing after them, and then up to 256 KiB of payload. The NIC sends a frame for
/// each `segmentBytes` of it. Each frame has those headers, with its own length; the identification
/// of IPv4 counts the frames, and the sequence number of TCP their payload. The TCP flags FIN and
/// PSH stand in the last frame only, CWR in the first only. Checksums come if the flags ask for
/// them. There is one completion for all frames.
///
/// ```java
/// int checksums = EthernetSegment.L3_CHECKSUM | EthernetSegment.L4_CHECKSUM;
/// SendEntry.writeControl(thread, entry, index, SendEntry.LSO, queue, 7, completion);
/// EthernetSegment.write(thread, entry + SendEntry.SEGMENT_BYTES, checksums, 1448, 66);
/// ```
///
/// The simulated card does nothing for tunnels: an entry that asks for checksums of inner headers,
/// for an aligned trailer, or for headers to be found where software says, completes with an error.
public final class EthernetSegment {
    /// Flag: the checksum of the IPv4 header is filled in.
    public static final int L3_CHECKSUM = 0x4000;

    /// Flag: the checksum of TCP or UDP is filled in.
    public static final int L4_CHECKSUM = 0x8000;

    private static final int FLAGS = 4;
    private static final int SEGMENT_SIZE = 6;
    private static final int RESERVED = 8;
    private static final int INLINE_BYTES = 12;
    private static final int INLINE_DATA = 14;
    private static final int FIRST_INLINE_BYTES = SendEntry.SEGMENT_BYTES - INLINE_DATA;

    private EthernetSegment() {}

    /// Writes a segment that asks for nothing but to send.
    ///
    /// @param inlineBytes how many bytes of the frame stand from [#inlineData] on
    public static void write(MemoryAccess memory, long segment, int inlineBytes) {
        write(memory, segment, 0, 0, inlineBytes);
    }

    /// Writes a segment.
    ///
    /// @param flags [#L3_CHECKSUM], [#L4_CHECKSUM], both or 0
    /// @param segmentBytes how much payload the frames of a large send get each; 0 for other
    ///   entries
    /// @param inlineBytes how many bytes of the frame stand from [#inlineData] on
    public static void write(
            MemoryAccess memory, long segment, int flags, int segmentBytes, int inlineBytes) {
        BigEndian.store32(memory, segment, 0);
        BigEndian.store32(memory, segment + FLAGS, (flags << Short.SIZE) | segmentBytes);
        BigEndian.store32(memory, segment + RESERVED, 0);
        BigEndian.store32(memory, segment + INLINE_BYTES, inlineBytes << Short.SIZE);
    }

    /// What it asks for: flags, those above and others.
    public static int flags(MemoryAccess memory, long segment) {
        return BigEndian.load16(memory, segment + FLAGS);
    }

    /// How much payload the frames of a large send get each.
    public static int segmentBytes(MemoryAccess memory, long segment) {
        return BigEndian.load16(memory, segment + SEGMENT_SIZE);
    }

    /// How many bytes of the frame stand in the entry.
    public static int inlineBytes(MemoryAccess memory, long segment) {
        return BigEndian.load16(memory, segment + INLINE_BYTES);
    }

    /// Where they begin.
    public static long inlineData(long segment) {
        return segment + INLINE_DATA;
    }

    /// How many segments they take, the Ethernet segment included.
    public static int segments(int inlineBytes) {
        int more = Math.max(0, inlineBytes - FIRST_INLINE_BYTES);
        return 1 + (more + SendEntry.SEGMENT_BYTES - 1) / SendEntry.SEGMENT_BYTES;
    }
}
