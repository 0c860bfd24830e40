package dev.outboard.doca.rdma;

/// A 32-bit immediate, which travels in big-endian form (`doca_be32_t`).
///
/// DRDMA-COM-12, DJAVA-RDMA-2: 32 bits, which travel with the most significant byte first.
///
/// @param host the number: `0x01020304` puts the bytes 01 02 03 04 on the wire
public record Be32(int host) {
    /// The immediate for a number.
    public static Be32 ofHost(int number) {
        return new Be32(number);
    }

    /// The immediate for what a C program on this machine stores in a `doca_be32_t`: the wire's
    /// four bytes, read in native byte order.
    public static Be32 ofWire(int raw) {
        return new Be32(swap(raw));
    }

    /// The number.
    public int toHost() {
        return host;
    }

    /// What a C program on this machine would find in its `doca_be32_t`.
    public int toWire() {
        return swap(host);
    }

    private static int swap(int value) {
        boolean isLittle = java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN;
        return isLittle ? Integer.reverseBytes(value) : value;
    }

    @Override
    public String toString() {
        return "0x%08x".formatted(host);
    }
}
