package dev.outboard.fabric.roce.explain;

/// What a capture shows of an address.
final class Host {
    /// When something from there was captured last.
    long lastNanos = Long.MIN_VALUE;

    /// Packets from there with a right checksum.
    long intact;

    /// Packets from there with a wrong one.
    long damaged;
}
