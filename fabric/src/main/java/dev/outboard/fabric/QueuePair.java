package dev.outboard.fabric;

import java.util.Map;

/// A reliable-connected queue pair: a send queue and a receive queue towards one remote queue pair.
///
/// One thread at a time may post to the send queue, and one to the receive queue. The posting
/// thread drives the device, so a request usually is on the wire when [#post(SendRequest)] returns.
/// Completions arrive in the order of the posts. A queue pair that fails completes everything
/// outstanding, the failed request first, the rest as flushed.
public interface QueuePair extends AutoCloseable {
    /// The 24-bit queue pair number.
    int number();

    /// May be read from any thread.
    QueuePairState state();

    /// Posts `request`; its fields are copied, so it can be reused at once. In state ERROR it is
    /// flushed.
    ///
    /// @return false if the send queue is full
    /// @throws FabricException with INVALID_STATE before the queue pair is ready to send; with
    ///   INVALID_ARGUMENT if the request is larger than the limits
    boolean post(SendRequest request);

    /// Posts a receive. In state ERROR it is flushed.
    ///
    /// @return false if the receive queue is full
    /// @throws FabricException with INVALID_STATE in state RESET
    boolean post(ReceiveRequest request);

    /// What this queue pair counted: packets, bytes, retransmissions, NAKs by kind. At least
    /// `bytes-sent` and `bytes-received`, payload both.
    Map<String, Long> counters();

    /// Destroys the queue pair at once, without completions. Closing twice is harmless.
    @Override
    void close();
}
