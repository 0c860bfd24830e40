package dev.outboard.fabric.roce.wire.cm;

/// What a REQ or SIDR_REQ asks for: on RDMA IP CM a port space and a port (InfiniBand Architecture,
/// annex A11.3).
public record ServiceId(long value) {
    /// Connected services, `RDMA_PS_TCP`.
    public static final int PORT_SPACE_TCP = 0x0106;

    /// Datagram services, `RDMA_PS_UDP`.
    public static final int PORT_SPACE_UDP = 0x0111;

    /// The service of `port` in `portSpace`.
    public static ServiceId of(int portSpace, int port) {
        return new ServiceId((long) portSpace << 16 | port);
    }

    /// Whether it is a port of `portSpace`.
    public boolean isIn(int portSpace) {
        return value >>> 16 == portSpace;
    }

    public int port() {
        return (int) value & 0xFFFF;
    }

    @Override
    public String toString() {
        return "0x%016x".formatted(value);
    }
}
