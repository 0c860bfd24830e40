package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.verbs.QueuePairCore;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// What the peer of a queue pair may touch: the one place where a key of a peer opens memory.
final class RemoteMemory {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final RegionTable regions;
    private final int domain;
    private final int queuePair;

    RemoteMemory(QueuePairCore core) {
        regions = core.regions();
        domain = core.domain();
        queuePair = core.number();
    }

    /// The region that holds all `length` bytes from `address`, if `key` opens it for `right`
    /// (roce.md 3.11: key, domain, right and range, in that order); otherwise null.
    @Nullable RegisteredRegion find(int key, long address, long length, Access right) {
        return regions.open(key, domain, queuePair, address, length, right);
    }

    /// Executes an atomic. Other queue pairs of the device, and the application, see the old value
    /// or the new one.
    ///
    /// ROCE-RC-25: the operands are swapped or added in the memory's own byte order.
    ///
    /// @return the old value
    static long update(MemorySegment segment, long offset, Packet packet) {
        return packet.opcode() == Opcode.CMP_SWAP
                ? (long)
                        WORD.compareAndExchange(
                                segment, offset, packet.compare(), packet.swapOrAdd())
                : (long) WORD.getAndAdd(segment, offset, packet.swapOrAdd());
    }

    /// Takes back a key of ours that the peer names; false if it is none that a peer may.
    boolean invalidate(int key) {
        return regions.invalidate(key, domain, queuePair);
    }
}
