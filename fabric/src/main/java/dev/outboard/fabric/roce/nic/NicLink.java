package dev.outboard.fabric.roce.nic;

import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.transport.PacketSink;

/// Where the packets of a [NicMachine] come from and go to: a socket, or a simulated network. Only
/// the thread that drives the machine calls it.
public interface NicLink {
    /// Hands what has arrived to `handler`, at most `messages` times what one call of the network
    /// brings.
    ///
    /// @return how many packets came
    int receive(int messages, long nowNanos, PacketHandler handler);

    /// What takes the packets to be sent.
    PacketSink sink();

    /// Sends what the sink holds.
    void flush(long nowNanos);

    /// When it wants a turn for itself at the latest; [Long#MAX_VALUE] for never.
    long deadlineNanos();
}
