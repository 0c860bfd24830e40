package dev.outboard.fabric.roce.io;

/// What a [Transmitter] counts.
public enum TransmitCounter {
    /// Packets that the kernel took.
    PACKETS,
    /// Bytes of UDP payload that the kernel took.
    BYTES,
    /// Calls of `sendmsg` that succeeded.
    CALLS,
    /// Packets that the kernel refused. [Transmitter#lastRefusal] has the latest reason.
    REFUSED,
    /// Packets whose payload had gone.
    UNREADABLE
}
