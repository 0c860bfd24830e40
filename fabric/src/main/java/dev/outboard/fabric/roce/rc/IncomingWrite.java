package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Packet;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The WRITE whose packets arrive at present: where it goes, and how much of it is still to come.
final class IncomingWrite {
    private final RemoteMemory memory;
    private int key;
    private long address;
    private long length;
    private long position;

    IncomingWrite(RemoteMemory memory) {
        this.memory = memory;
    }

    /// Checks key, domain, right and the whole range once, at the first packet (roce.md 3.6). A
    /// zero-length WRITE names no memory: its address and key are not looked at.
    ///
    /// ROCE-RC-3: of a zero-length WRITE neither address nor key is looked at.
    boolean begin(Packet packet) {
        length = packet.dmaLength();
        key = packet.remoteKey();
        address = packet.remoteAddress();
        position = 0;
        return length == 0 || region(length) != null;
    }

    /// Of all its packets.
    long length() {
        return length;
    }

    /// Whether its next packet, or the one that `ends` it, may bring `bytes`.
    boolean takes(int bytes, boolean ends) {
        long remaining = length - position;
        return ends ? bytes == remaining : bytes < remaining;
    }

    /// Stores what `packet` brings; false if the memory may not be written any more.
    ///
    /// @throws dev.outboard.fabric.memory.MemoryFault if it cannot be written for another reason
    boolean store(Packet packet) {
        RegisteredRegion region = region(packet.payloadLength());
        if (region == null) {
            return false;
        }
        /// ROCE-RC-34: who sees these bytes, perhaps a flag, also sees what earlier messages wrote.
        VarHandle.releaseFence();
        try {
            memory.store(region, address + position, packet);
        } catch (IllegalStateException arenaClosed) {
            return false;
        }
        position += packet.payloadLength();
        return true;
    }

    /// The region that holds its next `bytes`.
    private @Nullable RegisteredRegion region(long bytes) {
        return memory.find(key, address + position, bytes, Access.REMOTE_WRITE);
    }
}
