package dev.outboard.fabric.memory;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Memory that the protocol machines may read and, if its rights permit, write. Belongs to one
/// [RegionTable].
public final class RegisteredRegion implements MemoryRegion, KeyHolder {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final RegionTable table;
    private final int domain;
    private final int key;
    private final int accessBits;
    private final RegionContent content;
    private final Payload payload;
    private final long address;

    private final boolean isPlain;

    /// What stands between the device and the bytes; null if nothing does.
    private final @Nullable Interception interception;

    private volatile boolean open = true;

    /// Windows bound to it; under the table's lock.
    int windows;

    RegisteredRegion(
            RegionTable table, int domain, int key, RegionContent content, Set<Access> access) {
        this.table = table;
        this.domain = domain;
        this.key = key;
        this.content = content;
        this.payload = Payload.of(content.memory());
        this.address = content.address();
        this.accessBits = access.stream().mapToInt(Access::bit).sum();
        this.isPlain = content.watch() == null && content.registers() == null;
        this.interception =
                isPlain && table.placement() == null
                        ? null
                        : new Interception(
                                table, content, access.contains(Access.RELAXED_ORDERING));
    }

    /// The protection domain it was registered in.
    public int domain() {
        return domain;
    }

    public boolean isOf(RegionTable other) {
        return table == other;
    }

    /// Whether nobody is called when the device reads: what is sent may be fetched as late as it
    /// leaves.
    public boolean isPlain() {
        return isPlain;
    }

    /// Whether the application can read it by [#segment].
    public boolean isOfHost() {
        return content.isOfHost();
    }

    /// Appends `length` bytes from `offset` to `sink`, for queue pair `user`.
    ///
    /// @param byPeer whether its peer named them
    /// @throws MemoryFault if they cannot be read; nothing is appended then
    public void append(PayloadSink sink, long offset, int length, int user, boolean byPeer) {
        if (isPlain) {
            table.settle();
            sink.append(payload, offset, length);
        } else {
            Staging staging = table.staging();
            long at = staging.room(length);
            read(offset, staging.segment(), at, length, user, byPeer);
            sink.append(staging.payload(), at, length);
        }
    }

    /// Reads `length` bytes from `offset` to `position` of `target`, for queue pair `user`.
    ///
    /// @param byPeer whether its peer named them
    /// @throws MemoryFault if they cannot be read
    public void read(
            long offset,
            MemorySegment target,
            long position,
            int length,
            int user,
            boolean byPeer) {
        try {
            if (interception == null) {
                MemorySegment.copy(payload.segment(), offset, target, position, length);
            } else {
                interception.read(offset, target, position, length, user, byPeer);
            }
        } catch (IllegalStateException arenaClosed) {
            throw new MemoryFault(arenaClosed);
        }
    }

    /// Writes `length` bytes from `position` of `source` to `offset`, for queue pair `user`.
    ///
    /// @param byPeer whether its peer named them
    /// @throws IllegalStateException if the arena of the memory is closed
    /// @throws MemoryFault if they cannot be written for another reason
    public void write(
            long offset,
            MemorySegment source,
            long position,
            int length,
            int user,
            boolean byPeer) {
        if (interception == null) {
            MemorySegment.copy(source, position, payload.segment(), offset, length);
        } else {
            interception.write(offset, source, position, length, user, byPeer);
        }
    }

    /// Writes the eight bytes of `value` to `offset`, for queue pair `user`, as [#write] does.
    public void writeWord(long offset, long value, int user) {
        if (interception == null) {
            payload.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
        } else {
            Staging staging = table.staging();
            long at = staging.room(Long.BYTES);
            staging.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, at, value);
            interception.write(offset, staging.segment(), at, Long.BYTES, user, false);
        }
    }

    /// Swaps or adds for the peer of queue pair `user`. Other queue pairs of the device, and the
    /// application, see the old value or the new one.
    ///
    /// ROCE-RC-25: the operands are swapped or added in the memory's own byte order.
    ///
    /// @param swaps whether `operand` takes the place of `compare`; else it is added
    /// @return the old value
    /// @throws IllegalStateException if the arena of the memory is closed
    public long update(long offset, boolean swaps, long compare, long operand, int user) {
        return interception == null
                ? update(payload.segment(), offset, swaps, compare, operand)
                : interception.update(offset, swaps, compare, operand, user);
    }

    static long update(
            MemorySegment segment, long offset, boolean swaps, long compare, long operand) {
        return swaps
                ? (long) WORD.compareAndExchange(segment, offset, compare, operand)
                : (long) WORD.getAndAdd(segment, offset, operand);
    }

    /// Where to read what is sent and must be read at once.
    public Staging staging() {
        return table.staging();
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
                && (content.registers() == null || (windowBits & Access.REMOTE_ATOMIC.bit()) == 0)
                && ((windowBits & changes) == 0 || permits(Access.LOCAL_WRITE));
    }

    /// The offset of the unsigned 64-bit `address`; negative or too large if it lies outside.
    public long offsetOf(long address) {
        return address - this.address;
    }

    /// Registered still, and the caller's arena is open.
    private boolean isUsable() {
        return open && payload.segment().scope().isAlive();
    }

    @Override
    public MemorySegment segment() {
        return content.isOfHost() ? payload.segment() : MemorySegment.NULL;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long length() {
        return content.length();
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
                AllocatedDeviceMemory card = content.card();
                if (card != null) {
                    card.left();
                }
            }
        }
    }
}
