package dev.outboard.fabric.memory;

/// What takes payload piece by piece: a packet under construction, or a copy.
public interface PayloadSink {
    /// So much payload at most, besides the packet under construction, is taken and not passed on.
    int MAX_HELD_BYTES = 1 << 16;

    /// Adds `length` bytes of `payload` from `offset`. The bytes must stay as they are until the
    /// sink has passed them on.
    void append(Payload payload, long offset, int length);
}
