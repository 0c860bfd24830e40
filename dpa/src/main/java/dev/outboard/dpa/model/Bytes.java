package dev.outboard.dpa.model;

/// DPA-OPM-12: bytes of a granule. A mask has a bit for each of the 8 bytes.
final class Bytes {
    /// All bytes of a granule.
    static final int ALL = 0xFF;

    private static final int BYTE_BITS = 8;

    private Bytes() {}

    /// The granule that the address lies in.
    static int granule(int address) {
        return address / Layout.GRANULE_BYTES;
    }

    /// The bytes that an access covers.
    static int mask(int address, int sizeBytes) {
        int offset = address % Layout.GRANULE_BYTES;
        assert offset % sizeBytes == 0 : "misaligned: " + address + ", " + sizeBytes;
        return (ALL >>> (Layout.GRANULE_BYTES - sizeBytes)) << offset;
    }

    /// The value of an access, moved to where it lies in its granule.
    static long place(int address, long value) {
        return value << (address % Layout.GRANULE_BYTES * BYTE_BITS);
    }

    /// The value of an access, cut out of its granule.
    static long extract(int address, int sizeBytes, long granule) {
        long moved = granule >>> (address % Layout.GRANULE_BYTES * BYTE_BITS);
        return sizeBytes == Layout.GRANULE_BYTES
                ? moved
                : moved & ((1L << (sizeBytes * BYTE_BITS)) - 1);
    }

    /// A granule of which some bytes are replaced.
    static long merge(long old, long value, int mask) {
        if (mask == ALL) {
            return value;
        }
        long bits = expand(mask);
        return (old & ~bits) | (value & bits);
    }

    /// Eight bits for each byte of a mask.
    private static long expand(int mask) {
        // Spreads bit i of the mask to bit 8i, then fills each byte.
        long spread = 0;
        for (int i = 0; i < Layout.GRANULE_BYTES; i++) {
            spread |= (long) ((mask >>> i) & 1) << (i * BYTE_BITS);
        }
        return spread * ALL;
    }
}
