package dev.outboard.dpa.nic;

import dev.outboard.fabric.MacAddress;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// A frame of TCP or UDP whose checksums count byte by byte, as RFC 1071 has them.
///
/// @param network where the IP header begins
/// @param transport where the header of TCP or UDP begins
/// @param protocol 6 or 17
public record IpFrame(byte[] bytes, int network, int transport, int protocol) {
    public static final int TCP = 6;
    public static final int UDP = 17;
    public static final int HOP_BY_HOP = 0;
    public static final int ROUTING = 43;
    public static final int FRAGMENT = 44;
    public static final int DESTINATION_OPTIONS = 60;

    private static final int JUNK = 0x5AA5;

    /// Joins headers and payload; lengths and types are filled in.
    ///
    /// @param tags VLAN tags, from the outermost on
    public static IpFrame of(
            MacAddress to, int[] tags, byte[] network, int protocol, byte[] transport) {
        int at = 14 + 4 * tags.length;
        ByteBuffer frame = ByteBuffer.allocate(at + network.length + transport.length);
        to.writeTo(MemorySegment.ofArray(frame.array()), 0);
        frame.position(12);
        for (int tag : tags) {
            frame.putShort((short) tag).putShort((short) 0x0123);
        }
        boolean isVersion4 = network[0] >>> 4 == 4;
        frame.putShort((short) (isVersion4 ? 0x0800 : 0x86DD));
        frame.put(network).put(transport);
        if (isVersion4) {
            frame.putShort(at + 2, (short) (network.length + transport.length));
            frame.put(at + 9, (byte) protocol);
        } else {
            frame.putShort(at + 4, (short) (network.length + transport.length - 40));
            frame.put(network.length == 40 ? at + 6 : at + network.length - 8, (byte) protocol);
        }
        return new IpFrame(frame.array(), at, at + network.length, protocol);
    }

    /// An IPv4 header.
    ///
    /// @param fragment flags and offset
    public static byte[] version4(int id, int fragment, int optionWords) {
        return ByteBuffer.allocate(20 + 4 * optionWords)
                .put((byte) (0x45 + optionWords))
                .put(4, (byte) (id >>> 8))
                .put(5, (byte) id)
                .putShort(6, (short) fragment)
                .put(8, (byte) 64)
                .putShort(10, (short) JUNK)
                .putInt(12, 0xC0A8_0001)
                .putInt(16, 0xC0A8_FEC7)
                .array();
    }

    /// An IPv6 header with extensions of 8 bytes each.
    public static byte[] version6(int... extensions) {
        ByteBuffer header = ByteBuffer.allocate(40 + 8 * extensions.length);
        header.putInt(0, 0x6000_1234).put(7, (byte) 64);
        for (int i = 0; i < 32; i++) {
            header.put(8 + i, (byte) (0x20 + 7 * i));
        }
        for (int i = 0; i < extensions.length; i++) {
            header.put(i == 0 ? 6 : 40 + 8 * (i - 1), (byte) extensions[i]);
        }
        return header.array();
    }

    /// A TCP header with 4 bytes per word of options, and payload.
    public static byte[] tcp(int sequence, int flags, int optionWords, byte[] payload) {
        int header = 20 + 4 * optionWords;
        ByteBuffer segment = ByteBuffer.allocate(header + payload.length);
        segment.putShort((short) 443).putShort((short) 50_000).putInt(sequence).putInt(77);
        segment.put((byte) ((header / 4) << 4)).put((byte) flags).putShort((short) 1000);
        segment.putShort((short) JUNK);
        for (int i = 20; i < header; i++) {
            segment.put(i, (byte) 1);
        }
        return segment.put(header, payload).array();
    }

    /// A UDP header and payload.
    public static byte[] udp(byte[] payload) {
        return ByteBuffer.allocate(8 + payload.length)
                .putShort((short) 53)
                .putShort((short) 50_001)
                .putShort((short) (8 + payload.length))
                .putShort((short) JUNK)
                .put(payload)
                .array();
    }

    /// Bytes that count.
    public static byte[] payload(int length) {
        byte[] payload = new byte[length];
        for (int i = 0; i < length; i++) {
            payload[i] = (byte) (7 * i + i / 256);
        }
        return payload;
    }

    /// The same with the right checksum of IPv4.
    public IpFrame withL3() {
        if (bytes[network] >>> 4 != 4) {
            return this;
        }
        int end = network + 4 * (bytes[network] & 0xF);
        byte[] header = Arrays.copyOfRange(bytes, network, end);
        header[10] = 0;
        header[11] = 0;
        return with16(network + 10, checksum(header));
    }

    /// The same with the right checksum of TCP or UDP.
    public IpFrame withL4() {
        int checksum = checksum(summed());
        return with16(checksumAt(), protocol == UDP && checksum == 0 ? 0xFFFF : checksum);
    }

    /// What the checksum of TCP or UDP is about, with a pseudo-header and zeros in its place.
    private byte[] summed() {
        boolean isVersion4 = bytes[network] >>> 4 == 4;
        int end =
                isVersion4
                        ? network + ByteBuffer.wrap(bytes).getShort(network + 2)
                        : network + 40 + ByteBuffer.wrap(bytes).getShort(network + 4);
        byte[] segment = Arrays.copyOfRange(bytes, transport, end);
        segment[checksumAt() - transport] = 0;
        segment[checksumAt() - transport + 1] = 0;
        byte[] addresses =
                isVersion4
                        ? Arrays.copyOfRange(bytes, network + 12, network + 20)
                        : Arrays.copyOfRange(bytes, network + 8, network + 40);
        return ByteBuffer.allocate(addresses.length + 8 + segment.length)
                .put(addresses)
                .putInt(segment.length)
                .putInt(protocol)
                .put(segment)
                .array();
    }

    private int checksumAt() {
        return transport + (protocol == TCP ? 16 : 6);
    }

    static int checksum(byte[] data) {
        int sum = 0;
        for (int i = 0; i < data.length; i++) {
            sum += i % 2 == 0 ? (data[i] & 0xFF) << 8 : data[i] & 0xFF;
            sum = sum > 0xFFFF ? sum - 0xFFFF : sum;
        }
        return 0xFFFF - sum;
    }

    /// The same with another word somewhere.
    public IpFrame with16(int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) (value >>> 8);
        changed[at + 1] = (byte) value;
        return new IpFrame(changed, network, transport, protocol);
    }

    /// The same with more bytes after the packet.
    public IpFrame padded(int length) {
        return new IpFrame(Arrays.copyOf(bytes, length), network, transport, protocol);
    }
}
