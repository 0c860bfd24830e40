package dev.outboard.bench.fabric;

/// Something that sends a number of bytes to a peer and gets as many back.
public interface RoundTrip extends AutoCloseable {
    /// Sends, waits for the answer, and returns; used by one thread.
    void exchange();

    @Override
    void close();
}
