package dev.outboard.fabric.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static java.nio.ByteOrder.BIG_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// ```c
/// struct sockaddr_in {
///     sa_family_t    sin_family;
///     in_port_t      sin_port;      /* network byte order */
///     struct in_addr sin_addr;      /* network byte order */
///     unsigned char  sin_zero[8];
/// };
/// ```
public final class SockaddrIn {
    public static final long FAMILY = 0;
    public static final long PORT = 2;
    public static final long ADDRESS = 4;
    public static final long SIZE = 16;

    /// `AF_INET`.
    public static final short AF_INET = 2;

    private static final ValueLayout.OfShort NETWORK_SHORT =
            JAVA_SHORT_UNALIGNED.withOrder(BIG_ENDIAN);
    private static final ValueLayout.OfInt NETWORK_INT = JAVA_INT_UNALIGNED.withOrder(BIG_ENDIAN);

    private SockaddrIn() {}

    public static void set(MemorySegment name, int address, int port) {
        name.set(JAVA_SHORT, FAMILY, AF_INET);
        name.set(NETWORK_SHORT, PORT, (short) port);
        name.set(NETWORK_INT, ADDRESS, address);
    }

    public static int port(MemorySegment name) {
        return Short.toUnsignedInt(name.get(NETWORK_SHORT, PORT));
    }

    public static int address(MemorySegment name) {
        return name.get(NETWORK_INT, ADDRESS);
    }
}
