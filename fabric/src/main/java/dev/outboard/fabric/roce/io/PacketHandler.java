package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.roce.wire.Packet;

/// Takes the packets that a [Receiver] found in order.
@FunctionalInterface
public interface PacketHandler {
    /// Called by the thread that receives. The packet is valid until the call returns.
    void packet(Packet packet, long nowNanos);
}
