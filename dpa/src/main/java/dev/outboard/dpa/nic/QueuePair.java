package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.ThreadHandle;
import java.util.function.Consumer;

/// A queue pair (QP) of a reliable connection: a send queue whose doorbell software rings, and a
/// receive queue whose doorbell record it writes. Made by a [NicEngine], and connected before the
/// run; in the run only the engine's actor touches it.
public final class QueuePair implements NicQueue {
    private final int number;
    private final int uar;
    private final SendQueue sendQueue;
    private final ReceiveQueue receiveQueue;
    private final Consumer<AsyncEvent> events;
    private boolean error;

    /// Where a send queue is.
    ///
    /// @param ring where its blocks lie, in DPA or external memory
    /// @param logBlocks the binary logarithm of their number, up to 15
    /// @param completions where its completions go
    public record Send(long ring, int logBlocks, CompletionQueue completions) {
        /// Checks the depth.
        public Send {
            checkDepth("send", logBlocks);
        }
    }

    /// Where a receive queue is: entries of one data segment each.
    ///
    /// @param ring where they lie, in DPA or external memory
    /// @param logEntries the binary logarithm of their number, up to 15
    /// @param doorbellRecord where software publishes its producer index
    /// @param completions where its completions go
    public record Receive(
            long ring, int logEntries, long doorbellRecord, CompletionQueue completions) {
        /// Checks the depth.
        public Receive {
            checkDepth("receive", logEntries);
        }
    }

    /// Who uses it.
    ///
    /// @param thread the one that posts, for reports
    /// @param userIndex what completions call the queue pair
    /// @param uar through whose outboxes it may be rung
    public record User(ThreadHandle thread, int userIndex, int uar) {
        /// Through outboxes of UAR 0.
        public User(ThreadHandle thread, int userIndex) {
            this(thread, userIndex, 0);
        }
    }

    private static final int MAX_LOG_DEPTH = 15;

    QueuePair(int number, int receiveNumber, Send send, Receive receive, User user, Shared shared) {
        this.number = number;
        uar = user.uar();
        events = shared.events();
        sendQueue = new SendQueue(this, send, user, shared);
        receiveQueue = new ReceiveQueue(this, receiveNumber, receive, user, shared);
    }

    private static void checkDepth(String queue, int logDepth) {
        if (logDepth < 0 || logDepth > MAX_LOG_DEPTH) {
            throw new IllegalArgumentException(
                    "A %s queue has a depth of 2^0 to 2^%d, not 2^%d"
                            .formatted(queue, MAX_LOG_DEPTH, logDepth));
        }
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int uar() {
        return uar;
    }

    @Override
    public boolean isInError() {
        return error;
    }

    /// Connects two queue pairs of one NIC with each other, or one with itself.
    public void connect(QueuePair peer) {
        connect(peer.receiveQueue::receive);
        peer.connect(receiveQueue::receive);
    }

    /// Connects it with a peer somewhere else. What the peer requests goes to [#receive].
    public void connect(Wire wire) {
        sendQueue.connect(wire);
    }

    /// Executes a request of the peer. Called by the NIC's actor only.
    public Acknowledge receive(Message message) {
        return receiveQueue.receive(message);
    }

    /// It is destroyed: whatever its peer still asks for is not answered.
    void remove() {
        error = true;
    }

    SendQueue sendQueue() {
        return sendQueue;
    }

    /// Both queues are flushed from now on.
    void fail(Nic nic) {
        if (!error) {
            error = true;
            events.accept(new AsyncEvent(AsyncEvent.Kind.QUEUE_PAIR_ERROR, number));
            receiveQueue.flush(nic);
        }
    }

    /// What was posted since it failed.
    void flushReceives(Nic nic) {
        receiveQueue.flush(nic);
    }
}
