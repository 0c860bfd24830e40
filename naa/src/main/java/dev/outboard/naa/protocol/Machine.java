package dev.outboard.naa.protocol;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaException.Phase;
import dev.outboard.naa.NaaException.Where;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.NaaTransferException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One end of a session as a pure state machine. It is told of completions, connection events and
/// the time, and is asked for the work requests to post: first all receives, then all sends. The
/// layer around it owns queues, threads and the clock, and throws what [#takeFailure] returns.
///
/// One thread at a time; [#state], [#peer] and [#counters] from any thread.
public abstract sealed class Machine permits ClientMachine, ServerMachine {
    private final String peer;
    private final Counters counters = new Counters();
    private volatile NaaState state = NaaState.INIT;
    private @Nullable NaaException failure;

    Machine(String peer) {
        this.peer = peer;
    }

    /// Emits the next receive to post.
    ///
    /// @return false if there is none
    public abstract boolean nextReceive(ReceiveRequest into);

    /// Emits the next send or WRITE to post, once all receives are posted.
    ///
    /// NAA-SCOPE-6: SENDs and WRITEs, with and without immediate value, are all there is.
    ///
    /// @return false if there is none now
    public abstract boolean nextSend(SendRequest into);

    /// The queue pair did not take an emitted work request.
    public abstract void refused(String request);

    /// A posted work request has completed. Completions come in the order of the queue.
    public abstract void completed(Completion completion, long nowNanos);

    /// Acts on what is due.
    public abstract void timePassed(long nowNanos);

    /// The nanoseconds until [#timePassed] has something to do; huge if nothing is set.
    public abstract long nanosUntilDue(long nowNanos);

    /// Where the session stands.
    ///
    /// NAA-STATE-6: any thread may ask.
    public final NaaState state() {
        return state;
    }

    /// The other side, for messages.
    public final String peer() {
        return peer;
    }

    /// What the session counted.
    public final Counters counters() {
        return counters;
    }

    /// Ends the session with `reason`, unless it has ended before.
    public final void fail(NaaException reason) {
        end(NaaState.ERROR, reason);
    }

    /// The failure that ended the session; handed out once.
    ///
    /// NAA-ROB-5a: whoever gets it tells it.
    public final Optional<NaaException> takeFailure() {
        Optional<NaaException> taken = Optional.ofNullable(failure);
        failure = null;
        return taken;
    }

    /// Where the session is now, for the message of a failure.
    public final Where where() {
        return new Where(phase(), state, peer);
    }

    /// Closed by this side. Allowed in every state.
    public final void closed() {
        state = NaaState.DISCONNECTED;
    }

    final void enter(NaaState next) {
        state = next;
    }

    /// Whether the session has ended, in whatever way.
    boolean isOver() {
        return state.isTerminal();
    }

    /// NAA-STATE-5: the first end counts.
    final void end(NaaState last, NaaException reason) {
        if (!isOver()) {
            failure = reason;
            counters.add(Counter.of(reason), 1);
            state = last;
        }
    }

    /// Fails the session for a completion with an error status. Whatever fails by itself completes
    /// with its own status first; a flush that comes first tells that the connection was ended.
    ///
    /// NAA-XFER-20: at once, with its status.
    final void failed(Completion completion, String what) {
        CompletionStatus status = completion.status();
        if (status == CompletionStatus.WORK_REQUEST_FLUSHED) {
            disconnected();
        } else {
            fail(new NaaTransferException(where(), status, what + " failed: " + explain(status)));
        }
    }

    /// The connection has ended without our doing.
    abstract void disconnected();

    final NaaConnectException lost() {
        return new NaaConnectException(
                where(),
                NaaConnectException.Reason.DISCONNECTED,
                "the connection was closed by the other side or broke; connect again");
    }

    /// NAA-STATE-7: refuses an operation in a wrong state.
    ///
    /// @throws IllegalStateException unless the state is among `allowed`
    public final void require(String operation, NaaState... allowed) {
        NaaState now = state;
        if (!Arrays.asList(allowed).contains(now)) {
            throw new IllegalStateException(
                    "%s is not possible in state %s with %s; it is in %s"
                            .formatted(operation, now, peer, Arrays.toString(allowed)));
        }
    }

    /// For a completion or message that no rule expects in this state (last row of 11.2).
    final NaaException unexpected(Object what) {
        return new NaaException(where(), "unexpected: " + what);
    }

    private Phase phase() {
        return switch (state) {
            case INIT, READY -> Phase.CONNECT;
            case CONNECTED, MRSP_SENDING, MRSP_RECEIVING -> Phase.REGION_SETUP;
            case MRSP_DONE, DATA_SENDING, CALCULATING, DATA_RECEIVING, FINISHED -> Phase.RPC;
            case DISCONNECTED, ERROR -> Phase.DISCONNECT;
        };
    }

    private static String explain(CompletionStatus status) {
        String advice =
                switch (status) {
                    case RETRY_EXCEEDED -> "; check that it still runs and that the path works";
                    case RNR_RETRY_EXCEEDED -> "; it is overloaded or speaks another dialect";
                    case REMOTE_ACCESS_ERROR ->
                            "; it has released its regions or speaks another dialect";
                    default -> "";
                };
        return status.explanation() + advice;
    }
}
