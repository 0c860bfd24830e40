package dev.outboard.fabric;

/// A packet of a device, as told to its [PacketWatch]. Valid during the call only; the device
/// reuses the object.
public interface WatchedPacket {
    /// Whether it is sent; else it has arrived.
    boolean isSent();

    /// The local queue pair: 1 is that of connection management.
    int queuePairNumber();

    /// What it is, in the words of the transport, such as `WRITE_LAST_IMM`.
    String opcode();

    /// Whether it is neither the first nor the last packet of its message.
    boolean isMiddle();

    /// Whether it carries an immediate value.
    boolean hasImmediate();

    /// Its number: 24 bits that wrap. A response has that of what it answers.
    int packetSequenceNumber();

    /// How much payload it carries.
    int payloadBytes();

    /// Whether its number follows that of the packet before it, of those of its queue pair that go
    /// the same way: requests one after the other, and responses. So it is of the first of them,
    /// and of datagrams, which have no order.
    boolean isNext();

    /// Whether such a packet with its number, or one after it, has been there before. What is sent
    /// is sent again then; what has arrived was sent again, or has been overtaken.
    boolean isAgain();
}
