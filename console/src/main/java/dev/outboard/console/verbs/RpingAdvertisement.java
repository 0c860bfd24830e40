package dev.outboard.console.verbs;

import dev.outboard.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The message with which an rping client offers memory, and with which its server says that it is
/// done (then all zero): 16 bytes, big-endian.
///
/// @param address of the first byte
/// @param key what the memory opens to
/// @param length in bytes
record RpingAdvertisement(long address, int key, int length) {
    /// The length of the message.
    static final int BYTES = 16;

    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int KEY = 8;
    private static final int LENGTH = 12;

    /// All of `region`.
    static RpingAdvertisement of(MemoryRegion region) {
        return new RpingAdvertisement(
                region.address(), region.remoteKey(), Math.toIntExact(region.length()));
    }

    /// Reads the message in `from`.
    static RpingAdvertisement parse(MemorySegment from) {
        return new RpingAdvertisement(from.get(LONG, 0), from.get(INT, KEY), from.get(INT, LENGTH));
    }

    /// Writes the message into `to`.
    void emit(MemorySegment to) {
        to.set(LONG, 0, address);
        to.set(INT, KEY, key);
        to.set(INT, LENGTH, length);
    }
}
