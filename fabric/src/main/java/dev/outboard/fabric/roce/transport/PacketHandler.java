package dev.outboard.fabric.roce.transport;

import dev.outboard.fabric.roce.wire.Packet;

/// Takes the packets that arrived, in order.
@FunctionalInterface
public interface PacketHandler {
    /// Called by the thread that receives. The packet is valid until the call returns.
    void packet(Packet packet, long nowNanos);
}
