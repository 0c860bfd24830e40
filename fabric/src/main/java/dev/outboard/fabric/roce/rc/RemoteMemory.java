package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.verbs.QueuePairCore;
import org.jspecify.annotations.Nullable;

/// What the peer of a queue pair may touch: the one place where a key of a peer opens memory.
final class RemoteMemory {
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

    /// Executes an atomic at `address` in `region`, which was [found][#find].
    ///
    /// @return the old value
    /// @throws IllegalStateException if the arena of the memory is closed
    long update(RegisteredRegion region, long address, Packet packet) {
        boolean swaps = packet.opcode() == Opcode.CMP_SWAP;
        return region.update(
                region.offsetOf(address), swaps, packet.compare(), packet.swapOrAdd(), queuePair);
    }

    /// Stores the payload of `packet` at `address` in `region`, which was [found][#find].
    ///
    /// @throws IllegalStateException if the arena of the memory is closed
    /// @throws dev.outboard.fabric.memory.MemoryFault if it cannot be written for another reason
    void store(RegisteredRegion region, long address, Packet packet) {
        region.write(
                region.offsetOf(address),
                packet.segment(),
                packet.payloadOffset(),
                packet.payloadLength(),
                queuePair,
                true);
    }

    /// Appends `length` bytes from `address` in `region`, which was [found][#find], to `sink`.
    ///
    /// @throws dev.outboard.fabric.memory.MemoryFault if they cannot be read
    void append(PacketSink sink, RegisteredRegion region, long address, int length) {
        region.append(sink, region.offsetOf(address), length, queuePair, true);
    }

    /// Takes back a key of ours that the peer names; false if it is none that a peer may.
    boolean invalidate(int key) {
        return regions.invalidate(key, domain, queuePair);
    }
}
