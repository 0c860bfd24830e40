package dev.outboard.fabric.roce.transport;

import dev.outboard.fabric.roce.wire.Packet;
import java.lang.foreign.MemorySegment;

/// Takes the packets and raw Ethernet frames that arrived, in order.
@FunctionalInterface
public interface PacketHandler {
    /// Called by the thread that receives. The packet is valid until the call returns.
    void packet(Packet packet, long nowNanos);

    /// Called by the thread that receives, where there is Ethernet: a frame of `length` bytes that
    /// carries no packet for the device. It is valid until the call returns.
    default void frame(MemorySegment frame, int length) {
        throw new IllegalStateException("an Ethernet frame, and nobody to take any");
    }
}
