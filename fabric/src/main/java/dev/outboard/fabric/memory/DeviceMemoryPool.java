package dev.outboard.fabric.memory;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;

/// The memory of a card, and how much of it is allocated. Any thread.
public final class DeviceMemoryPool {
    private static final long MAX_ALIGNMENT = 4096;

    private final long capacity;
    private long used;

    /// A pool of which nothing is allocated.
    ///
    /// @param capacity in bytes; 0 for a card without memory
    public DeviceMemoryPool(long capacity) {
        this.capacity = capacity;
    }

    public long capacity() {
        return capacity;
    }

    /// Allocates `length` zeros at a multiple of `alignment`.
    ///
    /// @throws FabricException if there is not so much, or the alignment is none
    public synchronized AllocatedDeviceMemory allocate(long length, long alignment) {
        if (length <= 0) {
            throw invalid("device memory of " + length + " bytes; valid: 1 or more");
        }
        if (alignment <= 0 || alignment > MAX_ALIGNMENT || Long.bitCount(alignment) != 1) {
            throw invalid(
                    "an alignment of device memory of %d bytes; valid: a power of two up to %d"
                            .formatted(alignment, MAX_ALIGNMENT));
        }
        if (length > capacity - used) {
            throw new FabricException(
                    Reason.LIMIT_REACHED,
                    capacity == 0
                            ? "the device has no memory of its own to allocate %d bytes of"
                                    .formatted(length)
                            : "%d bytes of device memory were asked for; %d of %d are free"
                                    .formatted(length, capacity - used, capacity));
        }
        used += length;
        return new AllocatedDeviceMemory(this, length, alignment);
    }

    synchronized void giveBack(long length) {
        used -= length;
    }

    private static FabricException invalid(String why) {
        return new FabricException(Reason.INVALID_ARGUMENT, "cannot allocate " + why);
    }
}
