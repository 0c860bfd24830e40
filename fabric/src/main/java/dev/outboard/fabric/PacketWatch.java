package dev.outboard.fabric;

/// Is told of each packet of a device's queue pairs, in the order in which they are sent and
/// received: for those who show what is on the wire. See [Device#watchPackets].
///
/// The watch is called inside a turn of the device, by the thread that drives: just before a packet
/// is queued to be sent, and when one has arrived, is whole and is of a queue pair's peer. What
/// holds for a [CompletionSink] holds here: it must not wait. It must not throw; if it does, the
/// failure is counted as `packets.watch-failures` of [Device#counters], the first one of a device
/// is logged, and the packet goes its way.
public interface PacketWatch {
    /// Looks at nothing.
    PacketWatch NONE = _ -> {};

    /// A packet is about to be sent, or has arrived.
    void packet(WatchedPacket packet);
}
