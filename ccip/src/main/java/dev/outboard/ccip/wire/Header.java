package dev.outboard.ccip.wire;

/// The parts that the headers of both Tx channels share.
final class Header {
    private static final long ADDRESS_BITS = (1L << 42) - 1;

    private Header() {}

    static long addressAndMdata(long address, int mdata) {
        return (address & ADDRESS_BITS) << 16 | (mdata & 0xFFFF);
    }

    static long address(long hdrLow) {
        return hdrLow >>> 16 & ADDRESS_BITS;
    }
}
