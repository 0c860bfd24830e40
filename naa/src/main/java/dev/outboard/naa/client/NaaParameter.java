package dev.outboard.naa.client;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// An input or output of a [NaaSession], as the reference's `naa_param_t`: memory, its size, and
/// whether it is sent only once. The memory stays the caller's; an array or a buffer is
/// `MemorySegment.ofArray(…)` or `MemorySegment.ofBuffer(…)`.
///
/// NAA-MW-2: the memory knows its size.
///
/// @param memory what is sent or received into
/// @param singleSend an input that only the first RPC sends
public record NaaParameter(MemorySegment memory, boolean singleSend) {
    public NaaParameter {
        Objects.requireNonNull(memory, "memory");
    }

    /// A parameter that every RPC transfers.
    public static NaaParameter of(MemorySegment memory) {
        return new NaaParameter(memory, false);
    }

    /// An input that only the first RPC sends.
    public static NaaParameter sentOnce(MemorySegment memory) {
        return new NaaParameter(memory, true);
    }

    /// Whether both begin with the same byte.
    boolean startsWith(NaaParameter other) {
        return memory.address() == other.memory.address()
                && memory.heapBase().equals(other.memory.heapBase());
    }

    boolean overlaps(NaaParameter other) {
        return memory.asOverlappingSlice(other.memory).isPresent();
    }
}
