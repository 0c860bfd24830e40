package dev.outboard.ccip.fiu;

import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.wire.Line;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A page of host memory that the AFU can reach: an entry of the table in [HostMemory], to which it
/// belongs.
///
/// Host threads use the memory at the same time, as on x86: every access here is of 8 bytes (of one
/// byte where a byte write covers no aligned 8) and atomic, and none passes one to another line. Of
/// a line the first word is written last and read first, so that a host thread may keep a flag for
/// the other words in it.
///
/// CCIP-HST-1: the host stores and loads at the same time, as on x86.
public final class Mapping {
    private static final VarHandle WORD =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final long firstLine;
    private final long endLine;
    private final MemorySegment memory;
    private Access access;
    private boolean live = true;

    Mapping(long firstLine, MemorySegment memory, Access access) {
        this.firstLine = firstLine;
        this.endLine = firstLine + memory.byteSize() / Line.BYTES;
        this.memory = memory;
        this.access = access;
    }

    /// Whether the AFU may read the page.
    public boolean readable() {
        return access.readable();
    }

    /// Whether the AFU may write the page.
    public boolean writable() {
        return access.writable();
    }

    /// Whether the page is still mapped. A request that was accepted when it was may come too late.
    public boolean isLive() {
        return live;
    }

    /// Reads a line of this page into `to`, from element `at` on.
    public void read(long lineAddress, long[] to, int at) {
        MemorySegment line = line(lineAddress);
        to[at] = (long) WORD.getAcquire(line, 0L);
        for (int i = 1; i < Line.LONGS; i++) {
            to[at + i] = (long) WORD.get(line, (long) i * Long.BYTES);
        }
        VarHandle.acquireFence();
    }

    /// Writes a line of this page with the elements of `from` from `at` on.
    public void write(long lineAddress, long[] from, int at) {
        MemorySegment line = line(lineAddress);
        VarHandle.releaseFence();
        for (int i = 1; i < Line.LONGS; i++) {
            WORD.set(line, (long) i * Long.BYTES, from[at + i]);
        }
        WORD.setRelease(line, 0L, from[at]);
    }

    /// Writes the bytes `start` to `start + length - 1` of a line, which lie there in `from` too,
    /// and touches no other byte: a store of the host beside them is never lost.
    ///
    /// CCIP-BYT-14: what the processor stores to other bytes is not lost.
    public void writeBytes(long lineAddress, long[] from, int at, int start, int length) {
        MemorySegment line = line(lineAddress);
        int i = start + length - 1;
        while (i >= start) {
            if (i % Long.BYTES == Long.BYTES - 1 && i - start >= Long.BYTES - 1) {
                WORD.setRelease(line, (long) i - (Long.BYTES - 1), from[at + i / Long.BYTES]);
                i -= Long.BYTES;
            } else {
                byte value = (byte) (from[at + i / Long.BYTES] >>> (i % Long.BYTES * Byte.SIZE));
                BYTE.setRelease(line, (long) i, value);
                i--;
            }
        }
    }

    long firstLine() {
        return firstLine;
    }

    long endLine() {
        return endLine;
    }

    boolean covers(long lineAddress) {
        return lineAddress >= firstLine && lineAddress < endLine;
    }

    void protect(Access access) {
        this.access = access;
    }

    void unmap() {
        live = false;
    }

    /// The JIT compiler keeps the slice in registers, and since it knows how long it is needs one
    /// check of bounds for all words of a line.
    private MemorySegment line(long lineAddress) {
        return memory.asSlice((lineAddress - firstLine) * Line.BYTES, Line.BYTES);
    }
}
