package dev.outboard.ccip.host;

import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.wire.Line;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Memory that host and AFU share: pinned, and mapped for the AFU at an address of its own (what
/// `fpgaPrepareBuffer` gives).
///
/// It belongs to the [Fpga] that prepared it and ends with it, or when it is released. Any thread
/// may load and store, as on x86: aligned accesses of up to 8 bytes are atomic, and the AFU's are
/// too. A thread that shares data with a running AFU uses volatile or acquire and release accesses,
/// as it would between threads.
///
/// ```java
/// try (Buffer buffer = fpga.prepareBuffer(4096)) {
///     buffer.segment().set(JAVA_LONG, 0, 42);
///     fpga.writeMmio64(SOURCE, buffer.lineAddress());
/// }
/// ```
public final class Buffer implements AutoCloseable {
    private final Fpga fpga;
    private final List<MemorySegment> segments;
    private final long ioAddress;
    private final long mappedBytes;
    private final @Nullable Arena arena;
    private boolean released;

    Buffer(
            Fpga fpga,
            List<MemorySegment> segments,
            long ioAddress,
            long mappedBytes,
            @Nullable Arena arena) {
        this.fpga = fpga;
        this.segments = List.copyOf(segments);
        this.ioAddress = ioAddress;
        this.mappedBytes = mappedBytes;
        this.arena = arena;
    }

    /// The memory, where it is in one piece for the host.
    ///
    /// @throws FpgaException if it was prepared from several pieces; see [#segments]
    public MemorySegment segment() {
        if (segments.size() != 1) {
            throw new FpgaException(
                    FpgaException.Reason.INVALID_STATE,
                    "The buffer is in " + segments.size() + " pieces; use segments()");
        }
        return segments.getFirst();
    }

    /// The pieces of memory, which are contiguous for the AFU in this order.
    public List<MemorySegment> segments() {
        return segments;
    }

    /// The address that the AFU uses, in bytes (`fpgaGetIOAddress`).
    public long ioAddress() {
        return ioAddress;
    }

    /// The address that the AFU uses, in lines: what stands in the header of a request.
    public long lineAddress() {
        return ioAddress / Line.BYTES;
    }

    /// Bytes of the buffer.
    public long bytes() {
        return segments.stream().mapToLong(MemorySegment::byteSize).sum();
    }

    /// Changes what the AFU may do with the pages that these bytes lie in.
    ///
    /// @throws FpgaException if the range is not in the buffer, or translation is physical
    public void protect(long offset, long length, Access access) {
        fpga.protect(this, offset, length, access);
    }

    /// Releases the buffer (`fpgaReleaseBuffer`): the AFU can reach it no more.
    @Override
    public void close() {
        fpga.releaseBuffer(this);
    }

    long mappedBytes() {
        return mappedBytes;
    }

    boolean isReleased() {
        return released;
    }

    /// The AFU can reach it no more.
    void free() {
        released = true;
        if (arena != null) {
            arena.close();
        }
    }
}
