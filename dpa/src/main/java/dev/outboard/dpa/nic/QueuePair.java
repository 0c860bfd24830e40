package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.fabric.QueuePairState;

/// A queue pair (QP) of a reliable connection: a send queue whose doorbell software rings, and a
/// receive queue whose doorbell record it writes, or one that takes from a pool. Made by a
/// [NicEngine], and connected before the run; in the run only the engine's actor touches it.
public abstract sealed class QueuePair extends SendingQueue permits SimulatedPair, FabricPair {
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

    QueuePair(Send send, User user, Shared shared) {
        super(QueueStatus.Kind.QUEUE_PAIR, AsyncEvent.Kind.QUEUE_PAIR_ERROR, send, user, shared);
    }

    static void checkDepth(String queue, int logDepth) {
        if (logDepth < 0 || logDepth > MAX_LOG_DEPTH) {
            throw new IllegalArgumentException(
                    "A %s queue has a depth of 2^0 to 2^%d, not 2^%d"
                            .formatted(queue, MAX_LOG_DEPTH, logDepth));
        }
    }

    /// What state it is in. Any thread may ask.
    public abstract QueuePairState state();

    /// Connects two queue pairs of one NIC with each other, or one with itself.
    public abstract void connect(QueuePair peer);
}
