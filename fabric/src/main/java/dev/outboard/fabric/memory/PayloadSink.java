package dev.outboard.fabric.memory;

/// What takes payload piece by piece: a packet under construction, or a copy.
public interface PayloadSink {
    /// Adds `length` bytes of `payload` from `offset`. The bytes must stay as they are until the
    /// sink has passed them on.
    void append(Payload payload, long offset, int length);
}
