package dev.outboard.fabric.memory;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Memory that the protocol machines may read and, if its rights permit, write. Belongs to one
/// [RegionTable].
public final class RegisteredRegion implements MemoryRegion, KeyHolder {
    private final RegionTable table;
    private final int domain;
    private final int key;
    private final int accessBits;
    private final Payload payload;
    private volatile boolean open = true;

    /// Windows bound to it; under the table's lock.
    int windows;

    public RegisteredRegion(
            RegionTable table, int domain, int key, MemorySegment segment, Set<Access> access) {
        this.table = table;
        this.domain = domain;
        this.key = key;
        this.payload = Payload.of(segment);
        this.accessBits = access.stream().mapToInt(Access::bit).sum();
    }

    /// The protection domain it was registered in.
    public int domain() {
        return domain;
    }

    public boolean isOf(RegionTable other) {
        return table == other;
    }

    /// The memory in the form that packets are built from.
    public Payload payload() {
        return payload;
    }

    /// Whether the region is registered still and grants `access`.
    public boolean permits(Access access) {
        return isUsable() && (accessBits & access.bit()) != 0;
    }

    /// Whether `length` bytes from `offset` lie inside the region, which must be registered still
    /// (roce.md 3.11; no overflow for any values).
    public boolean covers(long offset, long length) {
        return isUsable()
                && offset >= 0
                && length >= 0
                && length <= length()
                && offset <= length() - length;
    }

    @Override
    public @Nullable RegisteredRegion open(
            int userDomain, int user, long address, long length, Access right) {
        return domain == userDomain && permits(right) && covers(offsetOf(address), length)
                ? this
                : null;
    }

    /// Whether a window may be bound to it that grants `windowBits`: what may change the memory
    /// needs the right to do so here (roce.md 3.11).
    boolean permitsWindow(int windowBits) {
        int changes = Access.REMOTE_WRITE.bit() | Access.REMOTE_ATOMIC.bit();
        return permits(Access.MEMORY_WINDOW_BIND)
                && ((windowBits & changes) == 0 || permits(Access.LOCAL_WRITE));
    }

    /// The offset of the unsigned 64-bit `address`; negative or too large if it lies outside.
    public long offsetOf(long address) {
        return address - payload.address();
    }

    /// Registered still, and the caller's arena is open.
    private boolean isUsable() {
        return open && payload.segment().scope().isAlive();
    }

    @Override
    public MemorySegment segment() {
        return payload.segment();
    }

    @Override
    public long address() {
        return payload.address();
    }

    @Override
    public long length() {
        return payload.byteSize();
    }

    @Override
    public int localKey() {
        return key;
    }

    @Override
    public int remoteKey() {
        return key;
    }

    @Override
    public void close() {
        synchronized (table) {
            /// ROCE-MR-3: a region with windows bound to it stays.
            if (windows > 0) {
                throw new FabricException(
                        Reason.IN_USE,
                        "the memory region at 0x%x of %d bytes still has %d memory windows bound; invalidate or close them first"
                                .formatted(address(), length(), windows));
            }
            if (open) {
                open = false;
                table.remove(this);
            }
        }
    }
}
