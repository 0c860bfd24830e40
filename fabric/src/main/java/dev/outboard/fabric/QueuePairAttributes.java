package dev.outboard.fabric;

/// What a queue pair is created with.
///
/// @param sendQueue where sends and writes complete
/// @param receiveQueue where receives complete; may be the same queue
/// @param maxSends send requests outstanding at most
/// @param maxReceives receive requests outstanding at most
/// @param maxScatterGather memory pieces of one request at most
/// @param maxInlineBytes payload at most of a request posted with [SendRequest#inline]
public record QueuePairAttributes(
        CompletionQueue sendQueue,
        CompletionQueue receiveQueue,
        int maxSends,
        int maxReceives,
        int maxScatterGather,
        int maxInlineBytes) {

    /// Attributes for a queue pair that uses one completion queue, one memory piece per request and
    /// no inline data.
    public static QueuePairAttributes of(CompletionQueue queue, int maxSends, int maxReceives) {
        return new QueuePairAttributes(queue, queue, maxSends, maxReceives, 1, 0);
    }
}
