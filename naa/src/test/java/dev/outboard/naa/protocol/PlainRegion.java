package dev.outboard.naa.protocol;

import dev.outboard.fabric.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A memory region without a device, with an address and key of the test's choice.
record PlainRegion(MemorySegment segment, long address, int remoteKey) implements MemoryRegion {
    static PlainRegion of(long size, int key) {
        MemorySegment segment = Arena.ofAuto().allocate(size);
        return new PlainRegion(segment, segment.address(), key);
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    @Override
    public int localKey() {
        return remoteKey;
    }

    @Override
    public void close() {}
}
