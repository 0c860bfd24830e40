package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.trace.NicTimeline;
import java.util.function.Consumer;

/// A queue of a NIC that has a send queue.
public abstract sealed class SendingQueue implements NicQueue permits FrameSendQueue, QueuePair {
    private final QueueStatus.Kind kind;
    private final AsyncEvent.Kind failure;
    private final int uar;
    private final int logBlocks;
    private final Consumer<AsyncEvent> events;
    private volatile boolean error;
    private volatile String purpose = "";

    /// What a step has done.
    enum Step {
        /// There is nothing to do until the next doorbell.
        IDLE,
        /// An entry is done.
        DONE,
        /// The peer has not answered, or memory is not what an entry waits for.
        WAITING
    }

    /// @param failure what is told if it fails
    SendingQueue(
            QueueStatus.Kind kind,
            AsyncEvent.Kind failure,
            QueuePair.Send send,
            QueuePair.User user,
            Shared shared) {
        this.kind = kind;
        this.failure = failure;
        uar = user.uar();
        logBlocks = send.logBlocks();
        events = shared.events();
    }

    @Override
    public int uar() {
        return uar;
    }

    @Override
    public boolean isInError() {
        return error;
    }

    /// Says what it is for, in words, for whoever looks on. Any thread may.
    public void purpose(String purpose) {
        this.purpose = purpose;
    }

    /// A doorbell tells up to where entries are posted.
    ///
    /// @return whether that is news
    boolean ring(Nic nic, int index) {
        boolean news = index().ring(index);
        if (news) {
            NicTimeline.of(nic).posted(number(), purpose, index);
        }
        return news;
    }

    /// How far its send queue is.
    abstract SendIndex index();

    /// Executes an entry of the send queue.
    abstract Step step(Nic nic);

    /// An entry has failed: whatever is posted is flushed from now on.
    abstract void fail(Nic nic);

    /// What was posted to its receive queue since it failed is flushed, if it has one.
    void flushReceives(Nic nic) {
        // It has none.
    }

    /// It is destroyed: it takes part in nothing any more.
    void remove(Nic nic) {
        error = true;
    }

    /// It has failed, if it had not before.
    ///
    /// @return whether that is news
    boolean failed() {
        boolean news = !error;
        if (news) {
            error = true;
            events.accept(new AsyncEvent(failure, number()));
        }
        return news;
    }

    /// How far it is.
    QueueStatus status() {
        SendIndex index = index();
        return new QueueStatus(
                kind, number(), 1 << logBlocks, index.done(), false, error, index.sends(purpose));
    }
}
