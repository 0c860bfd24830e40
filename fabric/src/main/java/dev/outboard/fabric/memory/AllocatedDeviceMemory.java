package dev.outboard.fabric.memory;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.DeviceMemory;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/// Memory of a card, allocated from its [DeviceMemoryPool].
public final class AllocatedDeviceMemory implements DeviceMemory {
    private final DeviceMemoryPool pool;
    private final MemorySegment memory;
    private int regions;
    private boolean closed;

    AllocatedDeviceMemory(DeviceMemoryPool pool, long length, long alignment) {
        this.pool = pool;
        this.memory = Arena.ofAuto().allocate(length, Math.max(alignment, Long.BYTES));
    }

    public boolean isOf(DeviceMemoryPool other) {
        return pool == other;
    }

    /// The part that a region is registered for, which [#left] ends.
    synchronized MemorySegment join(long offset, long length, Set<Access> access) {
        requireInside(offset, length);
        if (access.contains(Access.REMOTE_ATOMIC) && offset % Long.BYTES != 0) {
            throw invalid(
                    "atomic operations on it from offset %d".formatted(offset), "a multiple of 8");
        }
        regions++;
        return memory.asSlice(offset, length);
    }

    synchronized void left() {
        regions--;
    }

    @Override
    public long length() {
        return memory.byteSize();
    }

    @Override
    public synchronized void write(long offset, MemorySegment source) {
        requireInside(offset, source.byteSize());
        MemorySegment.copy(source, 0, memory, offset, source.byteSize());
    }

    @Override
    public synchronized void read(long offset, MemorySegment target) {
        requireInside(offset, target.byteSize());
        MemorySegment.copy(memory, offset, target, 0, target.byteSize());
    }

    private void requireInside(long offset, long length) {
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED, "device memory of " + length() + " bytes is closed");
        }
        if (offset < 0 || length < 0 || length > length() || offset > length() - length) {
            throw invalid(
                    "%d bytes from offset %d of it".formatted(length, offset),
                    "within " + length() + " bytes");
        }
    }

    private static FabricException invalid(String what, String valid) {
        return new FabricException(
                Reason.INVALID_ARGUMENT,
                "device memory does not have %s; valid: %s".formatted(what, valid));
    }

    @Override
    public synchronized void close() {
        if (regions > 0) {
            throw new FabricException(
                    Reason.IN_USE,
                    "device memory of %d bytes still has %d memory regions; close them first"
                            .formatted(length(), regions));
        }
        if (!closed) {
            closed = true;
            pool.giveBack(length());
        }
    }
}
