package dev.outboard.naa;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.DeviceMemory;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.MemoryWatch;
import dev.outboard.fabric.MmioHandler;
import dev.outboard.fabric.ProtectionDomain;
import java.lang.foreign.MemorySegment;

/// What the NAA does not ask of a domain of a [FakeFabric].
interface BareDomain extends ProtectionDomain {
    @Override
    default MemoryRegion register(MemorySegment segment, MemoryWatch watch, Access... access) {
        throw new UnsupportedOperationException("nobody watches memory");
    }

    @Override
    default MemoryRegion register(DeviceMemory memory, long offset, long length, Access... access) {
        throw new UnsupportedOperationException("nobody has device memory");
    }

    @Override
    default MemoryRegion registerMmio(long length, MmioHandler registers, Access... access) {
        throw new UnsupportedOperationException("nobody has registers");
    }
}
