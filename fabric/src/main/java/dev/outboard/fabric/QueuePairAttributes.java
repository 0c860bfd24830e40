package dev.outboard.fabric;

import java.util.Optional;

/// What a queue pair is created with (the verbs' `ibv_qp_init_attr`).
///
/// @param type the transport service
/// @param sendQueue where requests of the send queue complete
/// @param receiveQueue where receives complete; may be the same queue
/// @param sharedReceiveQueue where receives are taken from, instead of a receive queue of its own
/// @param maxSends send requests outstanding at most
/// @param maxReceives receive requests outstanding at most; ignored with a shared receive queue
/// @param maxScatterGather memory pieces of one request at most
/// @param maxInlineBytes payload at most of a request posted with [SendRequest#inline]
/// @param allSignaled whether every send request completes visibly, whatever [SendRequest#signaled]
///   says
public record QueuePairAttributes(
        QueuePairType type,
        CompletionQueue sendQueue,
        CompletionQueue receiveQueue,
        Optional<SharedReceiveQueue> sharedReceiveQueue,
        int maxSends,
        int maxReceives,
        int maxScatterGather,
        int maxInlineBytes,
        boolean allSignaled) {

    /// Attributes for a reliable-connected queue pair that uses one completion queue, a receive
    /// queue of its own, one memory piece per request and no inline data.
    public static QueuePairAttributes of(CompletionQueue queue, int maxSends, int maxReceives) {
        return new QueuePairAttributes(
                QueuePairType.RELIABLE_CONNECTED,
                queue,
                queue,
                Optional.empty(),
                maxSends,
                maxReceives,
                1,
                0,
                false);
    }

    public QueuePairAttributes withType(QueuePairType newType) {
        return new QueuePairAttributes(
                newType,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                allSignaled);
    }

    public QueuePairAttributes withReceiveQueue(CompletionQueue newReceiveQueue) {
        return new QueuePairAttributes(
                type,
                sendQueue,
                newReceiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                allSignaled);
    }

    public QueuePairAttributes withSharedReceiveQueue(SharedReceiveQueue queue) {
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                Optional.of(queue),
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                allSignaled);
    }

    public QueuePairAttributes withMaxScatterGather(int count) {
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                count,
                maxInlineBytes,
                allSignaled);
    }

    public QueuePairAttributes withMaxInlineBytes(int bytes) {
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                bytes,
                allSignaled);
    }

    public QueuePairAttributes withAllSignaled(boolean newAllSignaled) {
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                newAllSignaled);
    }
}
