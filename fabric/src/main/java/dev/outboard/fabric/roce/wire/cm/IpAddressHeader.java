package dev.outboard.fabric.roce.wire.cm;

import dev.outboard.fabric.roce.wire.Gid;
import java.nio.ByteBuffer;

/// The RDMA IP CM header that starts the private data of a REQ and of a SIDR_REQ: who connects to
/// whom, in IP terms (InfiniBand Architecture, annex A11.4). The destination port is in the service
/// ID.
///
/// The wire form of an IPv4 address here is twelve zero bytes and the address; the addresses of
/// this record are GIDs all the same, IPv4-mapped.
///
/// ROCE-CM-2: the private data starts with version 0, the IP version, port and addresses.
public record IpAddressHeader(int sourcePort, Gid source, Gid destination) {
    public static final int LENGTH = 36;

    private static final int VERSION = 0;
    private static final int IP_VERSION = 1;
    private static final int SOURCE_PORT = 2;
    private static final int SOURCE = 4;
    private static final int DESTINATION = 20;

    private static final int IPV4 = 4;
    private static final int IPV6 = 6;
    private static final long IPV4_MAPPED = 0xFFFFL << 32;

    /// Whether the private data starts with a header of the only version there is.
    public static boolean isPresent(Octets privateData) {
        ByteBuffer bytes = privateData.asByteBuffer();
        if (bytes.capacity() < LENGTH || bytes.get(VERSION) != 0) {
            return false;
        }
        int ipVersion = Fields.get8(bytes, IP_VERSION) >>> 4;
        return ipVersion == IPV4 || ipVersion == IPV6;
    }

    /// Decodes the header of private data in which it [is present][#isPresent].
    public static IpAddressHeader parse(Octets privateData) {
        ByteBuffer bytes = privateData.asByteBuffer();
        boolean ipv4 = Fields.get8(bytes, IP_VERSION) >>> 4 == IPV4;
        return new IpAddressHeader(
                Fields.get16(bytes, SOURCE_PORT),
                getAddress(bytes, SOURCE, ipv4),
                getAddress(bytes, DESTINATION, ipv4));
    }

    /// The header and the consumer's private data behind it, padded to `length` bytes.
    public Octets followedBy(Octets consumerData, int length) {
        byte[] bytes = new byte[length];
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        boolean ipv4 = source.isIpv4();
        Fields.put8(buffer, IP_VERSION, (ipv4 ? IPV4 : IPV6) << 4);
        Fields.put16(buffer, SOURCE_PORT, sourcePort);
        putAddress(buffer, SOURCE, source, ipv4);
        putAddress(buffer, DESTINATION, destination, ipv4);
        consumerData.padded(length - LENGTH).put(buffer, LENGTH);
        return Octets.of(bytes);
    }

    private static Gid getAddress(ByteBuffer bytes, int at, boolean ipv4) {
        return ipv4
                ? new Gid(0, IPV4_MAPPED | Integer.toUnsignedLong(bytes.getInt(at + 12)))
                : Fields.getGid(bytes, at);
    }

    private static void putAddress(ByteBuffer bytes, int at, Gid address, boolean ipv4) {
        Fields.putGid(bytes, at, ipv4 ? new Gid(0, address.low() & 0xFFFF_FFFFL) : address);
    }
}
