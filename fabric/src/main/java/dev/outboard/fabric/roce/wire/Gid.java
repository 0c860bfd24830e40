package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;

/// A port's address: 128 bits, the first byte on the wire being the most significant of `high`. An
/// IPv6 address is its own GID, an IPv4 address a.b.c.d is the GID ::ffff:a.b.c.d.
public record Gid(long high, long low) {
    private static final int LENGTH = 16;
    private static final int IPV4_LENGTH = 4;
    private static final long IPV4_PREFIX = 0xFFFF_0000_0000L;
    private static final long IPV4_MASK = 0xFFFF_FFFFL;

    public static Gid of(InetAddress address) {
        byte[] bytes = address.getAddress();
        MemorySegment segment = MemorySegment.ofArray(bytes);
        return bytes.length == IPV4_LENGTH
                ? ofIpv4(BigEndian.get32(segment, 0))
                : new Gid(BigEndian.get64(segment, 0), BigEndian.get64(segment, Long.BYTES));
    }

    /// The GID of an IPv4 address whose first byte is the most significant.
    public static Gid ofIpv4(int address) {
        return new Gid(0, IPV4_PREFIX | (address & IPV4_MASK));
    }

    public boolean isIpv4() {
        return high == 0 && (low & ~IPV4_MASK) == IPV4_PREFIX;
    }

    /// The address as Java has it: an `Inet4Address` exactly when [#isIpv4].
    public InetAddress toInetAddress() {
        byte[] bytes = new byte[LENGTH];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        BigEndian.put64(segment, 0, high);
        BigEndian.put64(segment, Long.BYTES, low);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are an address", e);
        }
    }

    /// The address as people write it.
    @Override
    public String toString() {
        return toInetAddress().getHostAddress();
    }
}
