package dev.outboard.fabric.linux;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A shared arena whose larger pieces are mappings of their own. The C library keeps what is freed
/// for the thread that allocated it, so that a process which served many clients never shrinks;
/// what is unmapped goes back to the system at once.
@SuppressWarnings("restricted")
public final class MappingArena implements Arena {
    /// Smaller pieces would waste much of their last page.
    public static final long LEAST_MAPPED_BYTES = 64 * 1024;

    public static final int PROT_READ = 1;
    public static final int PROT_WRITE = 2;
    public static final int MAP_PRIVATE = 2;
    public static final int MAP_ANONYMOUS = 0x20;

    /// The pages are there, and zero, before the first packet comes.
    public static final int MAP_POPULATE = 0x8000;

    private static final long PAGE_BYTES = 4096;

    private final Arena arena = Arena.ofShared();

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        if (byteSize < LEAST_MAPPED_BYTES || Long.bitCount(byteAlignment) != 1) {
            return arena.allocate(byteSize, byteAlignment);
        }
        if (byteAlignment <= PAGE_BYTES) {
            return map(byteSize);
        }
        MemorySegment all = map(Math.addExact(byteSize, byteAlignment - PAGE_BYTES));
        return all.asSlice(-all.address() & (byteAlignment - 1), byteSize);
    }

    private MemorySegment map(long byteSize) {
        if (!arena.scope().isAlive()) {
            throw new IllegalStateException("the arena is closed");
        }
        long address =
                Libc.mmap(
                        byteSize,
                        PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE);
        if (address < 0) {
            throw new FabricException(
                    Reason.SYSTEM,
                    ("cannot map %d bytes of memory: %s; the system or a limit of the process"
                                    + " (ulimit -v) has no room for them")
                            .formatted(byteSize, Errno.name((int) -address)));
        }
        MemorySegment mapping = MemorySegment.ofAddress(address).reinterpret(byteSize);
        try {
            return mapping.reinterpret(arena, _ -> Libc.munmap(mapping));
        } catch (IllegalStateException closedMeanwhile) {
            Libc.munmap(mapping);
            throw closedMeanwhile;
        }
    }

    @Override
    public MemorySegment.Scope scope() {
        return arena.scope();
    }

    @Override
    public void close() {
        arena.close();
    }
}
