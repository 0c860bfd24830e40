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
/// @param refill called inside the turn when a message needs a receive and none is posted, before
///   the message is turned away; it may post some, and is bound to what a [CompletionSink] is bound
///   to. For a queue whose receives are kept elsewhere, in the order of their use
public record QueuePairAttributes(
        QueuePairType type,
        CompletionQueue sendQueue,
        CompletionQueue receiveQueue,
        Optional<SharedReceiveQueue> sharedReceiveQueue,
        int maxSends,
        int maxReceives,
        int maxScatterGather,
        int maxInlineBytes,
        boolean allSignaled,
        Runnable refill) {

    /// Attributes for a reliable-connected queue pair that uses one completion queue, a receive
    /// queue of its own, one memory piece per request and no inline data.
    public static QueuePairAttributes of(CompletionQueue sendQueue, int maxSends, int maxReceives) {
        QueuePairType type = QueuePairType.RELIABLE_CONNECTED;
        CompletionQueue receiveQueue = sendQueue;
        Optional<SharedReceiveQueue> sharedReceiveQueue = Optional.empty();
        int maxScatterGather = 1;
        int maxInlineBytes = 0;
        boolean allSignaled = false;
        Runnable refill = () -> {};
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                allSignaled,
                refill);
    }

    public QueuePairAttributes withType(QueuePairType type) {
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                allSignaled,
                refill);
    }

    public QueuePairAttributes withReceiveQueue(CompletionQueue receiveQueue) {
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                allSignaled,
                refill);
    }

    public QueuePairAttributes withSharedReceiveQueue(SharedReceiveQueue queue) {
        Optional<SharedReceiveQueue> sharedReceiveQueue = Optional.of(queue);
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                allSignaled,
                refill);
    }

    public QueuePairAttributes withMaxScatterGather(int maxScatterGather) {
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                allSignaled,
                refill);
    }

    public QueuePairAttributes withMaxInlineBytes(int maxInlineBytes) {
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                allSignaled,
                refill);
    }

    public QueuePairAttributes withAllSignaled(boolean allSignaled) {
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                allSignaled,
                refill);
    }

    public QueuePairAttributes withRefill(Runnable refill) {
        return new QueuePairAttributes(
                type,
                sendQueue,
                receiveQueue,
                sharedReceiveQueue,
                maxSends,
                maxReceives,
                maxScatterGather,
                maxInlineBytes,
                allSignaled,
                refill);
    }
}
