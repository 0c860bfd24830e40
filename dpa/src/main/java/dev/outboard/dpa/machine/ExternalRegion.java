package dev.outboard.dpa.machine;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/// A piece of external memory.
///
/// @param address its first byte, in the address space of host and NIC; as a window address
/// @param bytes what it holds; of MMIO only their number counts
/// @param device whose registers it is, if it is MMIO
public record ExternalRegion(
        String name,
        ExternalKind kind,
        long address,
        MemorySegment bytes,
        Optional<MmioDevice> device) {

    /// Whether the bytes from that address on lie in it.
    boolean contains(long address, long lengthBytes) {
        long offset = address - this.address;
        return offset >= 0
                && lengthBytes <= bytes.byteSize()
                && offset <= bytes.byteSize() - lengthBytes;
    }
}
