package dev.outboard.fabric.roce.io;

/// What a [Receiver] counts.
public enum ReceiveCounter {
    /// Packets that arrived, sound or not.
    PACKETS,
    /// Bytes of UDP payload that arrived.
    BYTES,
    /// Calls of `recvmsg` that brought something.
    CALLS,
    /// Datagrams that the kernel dropped because the socket's buffer was full, as far as it told:
    /// it does so along with the next datagram that arrives.
    OVERFLOWS
}
