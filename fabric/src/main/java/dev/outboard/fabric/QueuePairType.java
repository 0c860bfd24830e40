package dev.outboard.fabric;

/// The transport service of a queue pair.
public enum QueuePairType {
    /// Every message arrives once and in order, at one remote queue pair.
    RELIABLE_CONNECTED,
    /// Messages of one packet to any queue pair; they may get lost.
    UNRELIABLE_DATAGRAM,
    /// Every message is one Ethernet frame, from the destination address on to the last byte before
    /// the frame check sequence. A [Flow] steers frames that come to the queue pair.
    RAW_PACKET
}
