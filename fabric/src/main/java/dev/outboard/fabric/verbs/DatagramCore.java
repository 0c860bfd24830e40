package dev.outboard.fabric.verbs;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import java.lang.invoke.VarHandle;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What a queue pair whose messages are one packet each, that nobody answers, has on top of a
/// [QueuePairCore]: the state, and the order in which sends leave and complete.
///
/// A send completes when it has left the port. That happens between two turns, so whatever left in
/// one turn, the next one completes:
///
/// ```java
/// datagrams.beginTurn();
/// while (port.hasRoom() && (entry = datagrams.next()) != null) {
///     …
///     datagrams.sent();
/// }
/// return datagrams.hasMore();
/// ```
///
/// Used by the thread that drives the device, but for [#state] and what is checked when posting.
public final class DatagramCore {
    private final QueuePairCore core;
    private final SendQueue sends;

    /// Told of each completion that is lost.
    private final Runnable overrun;

    private volatile QueuePairState state = QueuePairState.RESET;

    /// The position of the first request that has not left yet.
    private long next;

    /// Whether the application was told that the send queue is drained.
    private boolean isDrainReported;

    /// In state RESET.
    ///
    /// @param overrun told of each completion that is lost because its queue is full
    public DatagramCore(QueuePairCore core, Runnable overrun) {
        this.core = core;
        this.sends = core.sends();
        this.overrun = overrun;
    }

    public QueuePairState state() {
        return state;
    }

    /// Refuses a send in a state that takes none.
    ///
    /// @throws FabricException with INVALID_STATE if no send may be posted
    public void requireSendable() {
        switch (state) {
            case READY_TO_SEND, SEND_QUEUE_DRAIN, SEND_QUEUE_ERROR, ERROR -> {}
            case RESET, INIT, READY_TO_RECEIVE ->
                    throw wrongState("sends are possible from READY_TO_SEND on");
        }
    }

    /// Posts a receive; false if the queue is full.
    public boolean post(ReceiveRequest request) {
        if (state == QueuePairState.RESET) {
            throw wrongState("receives are possible from INIT on");
        }
        return core.post(request);
    }

    /// Whether messages are received.
    public boolean isReceiving() {
        return switch (state) {
            case READY_TO_RECEIVE, READY_TO_SEND, SEND_QUEUE_DRAIN, SEND_QUEUE_ERROR -> true;
            case RESET, INIT, ERROR -> false;
        };
    }

    /// Goes to state `to`; there must be such a transition.
    public void change(QueuePairState to) {
        switch (to) {
            case RESET -> reset();
            case INIT, READY_TO_RECEIVE, READY_TO_SEND -> state = to;
            case SEND_QUEUE_DRAIN -> {
                isDrainReported &= state == QueuePairState.SEND_QUEUE_DRAIN;
                state = QueuePairState.SEND_QUEUE_DRAIN;
                reportDrained();
            }
            case SEND_QUEUE_ERROR -> throw new AssertionError("no transition leads there");
            case ERROR -> fail();
        }
    }

    /// Completes what has left since the last turn, and does what the state demands.
    public void beginTurn() {
        completeSent(next);
        switch (state) {
            case SEND_QUEUE_DRAIN -> reportDrained();
            case SEND_QUEUE_ERROR -> flushSends();
            case ERROR -> flush();
            case RESET, INIT, READY_TO_RECEIVE, READY_TO_SEND -> {}
        }
    }

    /// The request to send now, or null if there is none that can be.
    public @Nullable SendEntry next() {
        if (state != QueuePairState.READY_TO_SEND || next >= sends.posted()) {
            return null;
        }
        SendEntry entry = sends.at(next);
        CompletionStatus flaw = entry.flaw(core.domain());
        if (flaw != CompletionStatus.SUCCESS) {
            refuse(flaw);
            return null;
        }
        return entry;
    }

    /// The request from [#next] is on its way out.
    public void sent() {
        next++;
    }

    /// The request from [#next] cannot be sent, and fails with `status`. Its turn to fail comes
    /// when those before it are complete; until then it is looked at again.
    public void refuse(CompletionStatus status) {
        if (isDrained()) {
            failSend(status);
        }
    }

    /// Whether more could be done at once.
    public boolean hasMore() {
        return next > sends.head()
                || (state == QueuePairState.READY_TO_SEND && next < sends.posted());
    }

    /// Of what left in the last turn the first that is `concerned` got lost at the port.
    public void lost(Predicate<SendEntry> concerned) {
        for (long position = sends.head(); position < next; position++) {
            if (concerned.test(sends.at(position))) {
                completeSent(position);
                failSend(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
                return;
            }
        }
    }

    /// Goes to ERROR, flushing what is outstanding in order.
    public void fail() {
        if (state != QueuePairState.ERROR) {
            state = QueuePairState.ERROR;
            VarHandle.fullFence();
            flush();
            if (core.isShared()) {
                core.raise(AsyncEvent.Type.QP_LAST_WQE_REACHED);
            }
        }
    }

    /// A completion was told, or was not. If not, the application let the completion queue run
    /// full: a completion is lost, so the queue pair cannot go on.
    public void told(boolean told) {
        countLost(told);
        if (!told && state != QueuePairState.ERROR) {
            core.raise(AsyncEvent.Type.QP_FATAL);
            fail();
        }
    }

    private void reset() {
        state = QueuePairState.RESET;
        isDrainReported = false;
        core.clear();
        next = sends.head();
    }

    /// The requests before `position` succeeded.
    private void completeSent(long position) {
        while (sends.head() < position) {
            told(core.completeSend());
        }
    }

    /// The oldest send failed with `status`; the rest is flushed, receiving goes on (roce.md 3.10).
    private void failSend(CompletionStatus status) {
        state = QueuePairState.SEND_QUEUE_ERROR;
        told(core.completeSend(status));
        flushSends();
    }

    private void flushSends() {
        countLost(core.flushSends());
        next = sends.head();
    }

    private void flush() {
        countLost(core.flush());
        next = sends.head();
    }

    private void countLost(boolean told) {
        if (!told) {
            overrun.run();
        }
    }

    private boolean isDrained() {
        return next == sends.head();
    }

    private void reportDrained() {
        if (!isDrainReported && isDrained()) {
            isDrainReported = true;
            core.raise(AsyncEvent.Type.SQ_DRAINED);
        }
    }

    private FabricException wrongState(String valid) {
        return new FabricException(
                Reason.INVALID_STATE,
                "queue pair " + core.number() + " is in state " + state + "; " + valid);
    }
}
