package dev.outboard.fabric.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static java.nio.ByteOrder.BIG_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// ```c
/// struct sockaddr_in6 {
///     sa_family_t     sin6_family;
///     in_port_t       sin6_port;      /* network byte order */
///     uint32_t        sin6_flowinfo;
///     struct in6_addr sin6_addr;      /* network byte order */
///     uint32_t        sin6_scope_id;
/// };
/// ```
public final class SockaddrIn6 {
    public static final long FAMILY = 0;
    public static final long PORT = 2;
    public static final long FLOW_INFORMATION = 4;
    public static final long ADDRESS = 8;
    public static final long SCOPE = 24;
    public static final long SIZE = 28;

    /// `AF_INET6`.
    public static final short AF_INET6 = 10;

    private static final ValueLayout.OfShort NETWORK_SHORT =
            JAVA_SHORT_UNALIGNED.withOrder(BIG_ENDIAN);
    private static final ValueLayout.OfLong NETWORK_LONG =
            JAVA_LONG_UNALIGNED.withOrder(BIG_ENDIAN);

    private SockaddrIn6() {}

    public static void set(MemorySegment name, long high, long low, int scope, int port) {
        name.set(JAVA_SHORT, FAMILY, AF_INET6);
        name.set(NETWORK_SHORT, PORT, (short) port);
        name.set(JAVA_INT, FLOW_INFORMATION, 0);
        name.set(NETWORK_LONG, ADDRESS, high);
        name.set(NETWORK_LONG, ADDRESS + Long.BYTES, low);
        name.set(JAVA_INT, SCOPE, scope);
    }

    public static int port(MemorySegment name) {
        return Short.toUnsignedInt(name.get(NETWORK_SHORT, PORT));
    }

    public static long addressHigh(MemorySegment name) {
        return name.get(NETWORK_LONG, ADDRESS);
    }

    public static long addressLow(MemorySegment name) {
        return name.get(NETWORK_LONG, ADDRESS + Long.BYTES);
    }
}
