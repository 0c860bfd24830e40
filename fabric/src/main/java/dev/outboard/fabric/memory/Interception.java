package dev.outboard.fabric.memory;

import dev.outboard.fabric.MemoryAccess;
import dev.outboard.fabric.MemoryAccess.Kind;
import dev.outboard.fabric.MemoryWatch;
import dev.outboard.fabric.MmioHandler;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// What stands between a device and a region that is not just memory: a watch, registers in the
/// place of memory, or a memory system that lets writes be seen out of order. The thread that
/// drives the device.
final class Interception {
    private final RegionTable table;
    private final MemorySegment memory;
    private final @Nullable MemoryWatch watch;
    private final @Nullable MmioHandler registers;
    private final @Nullable Placement placement;
    private final boolean isRelaxed;
    private final MemoryAccess access = new MemoryAccess();

    Interception(RegionTable table, RegionContent content, boolean isRelaxed) {
        this.table = table;
        memory = content.memory();
        watch = content.watch();
        registers = content.registers();
        placement = table.placement();
        this.isRelaxed = isRelaxed;
    }

    /// Reads to `position` of `target`.
    void read(
            long offset,
            MemorySegment target,
            long position,
            int length,
            int user,
            boolean byPeer) {
        table.settle();
        MmioHandler handler = registers;
        if (handler != null) {
            try {
                handler.read(offset, target, position, length);
            } catch (RuntimeException | Error e) {
                throw refused(e);
            }
            return;
        }
        tell(MemoryWatch::before, Kind.READ, offset, length, user, byPeer);
        MemorySegment.copy(memory, offset, target, position, length);
        tell(MemoryWatch::after, Kind.READ, offset, length, user, byPeer);
    }

    /// Writes from `position` of `source`.
    void write(
            long offset,
            MemorySegment source,
            long position,
            int length,
            int user,
            boolean byPeer) {
        if (placement != null && isRelaxed) {
            placement.place(new Later(user, byPeer), offset, source, position, length);
            return;
        }
        table.settle();
        MmioHandler handler = registers;
        if (handler != null) {
            try {
                handler.write(offset, source, position, length);
            } catch (RuntimeException | Error e) {
                throw refused(e);
            }
            return;
        }
        store(offset, source, position, length, user, byPeer);
    }

    private void store(
            long offset,
            MemorySegment source,
            long position,
            int length,
            int user,
            boolean byPeer) {
        tell(MemoryWatch::before, Kind.WRITE, offset, length, user, byPeer);
        MemorySegment.copy(source, position, memory, offset, length);
        tell(MemoryWatch::after, Kind.WRITE, offset, length, user, byPeer);
    }

    /// A write whose moment the memory system decides.
    private final class Later implements Placement.Target {
        private final int user;
        private final boolean byPeer;

        Later(int user, boolean byPeer) {
            this.user = user;
            this.byPeer = byPeer;
        }

        @Override
        public long address() {
            return memory.address();
        }

        @Override
        public void store(long offset, MemorySegment source, long position, int length) {
            if (memory.scope().isAlive()) {
                Interception.this.store(offset, source, position, length, user, byPeer);
            }
        }
    }

    /// Adds `operand`, or puts it in place of `compare`; returns the old value.
    long update(long offset, boolean swaps, long compare, long operand, int user) {
        table.settle();
        tell(MemoryWatch::before, Kind.ATOMIC, offset, Long.BYTES, user, true);
        long old = RegisteredRegion.update(memory, offset, swaps, compare, operand);
        tell(MemoryWatch::after, Kind.ATOMIC, offset, Long.BYTES, user, true);
        return old;
    }

    private MemoryFault refused(Throwable failure) {
        table.mmioFailures().add(failure);
        return new MemoryFault(failure);
    }

    private void tell(
            BiConsumer<MemoryWatch, MemoryAccess> moment,
            Kind kind,
            long offset,
            int length,
            int user,
            boolean byPeer) {
        MemoryWatch told = watch;
        if (told != null) {
            access.set(kind, offset, length, user, byPeer);
            try {
                moment.accept(told, access);
            } catch (RuntimeException | Error e) {
                table.watchFailures().add(e);
            }
        }
    }
}
