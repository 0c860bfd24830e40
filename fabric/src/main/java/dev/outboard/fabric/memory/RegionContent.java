package dev.outboard.fabric.memory;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryWatch;
import dev.outboard.fabric.MmioHandler;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// What a region is registered for.
///
/// @param memory empty if there are registers in its place
/// @param address by which it is named, of its first byte
/// @param length in bytes
/// @param isOfHost whether the application reaches it by `memory`
/// @param watch who is told of each access, if anybody is
/// @param registers what stands in the place of memory, if anything does
/// @param card whose part it is, if it is memory of the card
record RegionContent(
        MemorySegment memory,
        long address,
        long length,
        boolean isOfHost,
        @Nullable MemoryWatch watch,
        @Nullable MmioHandler registers,
        @Nullable AllocatedDeviceMemory card) {

    static RegionContent of(MemorySegment memory, @Nullable MemoryWatch watch) {
        return new RegionContent(
                memory, memory.address(), memory.byteSize(), true, watch, null, null);
    }

    static RegionContent of(MemorySegment memory, long address) {
        return new RegionContent(memory, address, memory.byteSize(), true, null, null, null);
    }

    static RegionContent of(long length, MmioHandler registers) {
        if (length <= 0) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "registers of " + length + " bytes cannot be registered; valid: 1 or more");
        }
        return new RegionContent(MemorySegment.NULL, 0, length, false, null, registers, null);
    }

    static RegionContent of(MemorySegment part, AllocatedDeviceMemory card) {
        return new RegionContent(part, 0, part.byteSize(), false, null, null, card);
    }
}
