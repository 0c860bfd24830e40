package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What becomes of a connection: it is INIT until the peer is there, then CONNECTED, ERROR once it
/// failed or ended, and RESET when it has left its context; and who is told so.
final class ConnectionLife {
    private final RdmaConnection connection;
    private RdmaState state = RdmaState.INIT;

    /// Was once CONNECTED.
    private boolean wasConnected;

    /// A peer asked for it and has no answer.
    private boolean isRequested;

    /// It was asked for, or granted, and nobody knows yet what becomes of it.
    private boolean isAwaited;

    private DocaError error = DocaError.BAD_STATE;
    private String explanation = "its context stopped";

    /// If somebody asked for it.
    private @Nullable CompletableFuture<RdmaConnection> established;

    ConnectionLife(RdmaConnection connection) {
        this.connection = connection;
    }

    RdmaState state() {
        return state;
    }

    boolean isEnded() {
        return state == RdmaState.ERROR || state == RdmaState.RESET;
    }

    boolean wasConnected() {
        return wasConnected;
    }

    /// Whether a peer waits for an answer.
    boolean isRequested() {
        return isRequested && !isEnded();
    }

    void becomeRequested() {
        isRequested = true;
    }

    void becomeAnswered() {
        isRequested = false;
    }

    /// The application asked for it.
    void becomeAwaited() {
        isAwaited = true;
    }

    void becomeConnected() {
        isAwaited = false;
        wasConnected = true;
        state = RdmaState.CONNECTED;
    }

    /// Notes why it fails, if it does, for the application.
    void becomeFailed(DocaError error, String explanation) {
        if (!isEnded()) {
            this.error = error;
            this.explanation = explanation;
        }
    }

    void becomeEnded() {
        state = RdmaState.ERROR;
    }

    void becomeReset() {
        state = RdmaState.RESET;
    }

    // ---- who is told ----------------------------------------------------------------------------

    /// Ends as [#settle] says.
    ///
    /// @param isDecided whether its context is RUNNING, so that there may be something to tell
    CompletableFuture<RdmaConnection> established(boolean isDecided) {
        CompletableFuture<RdmaConnection> future = established;
        if (future == null) {
            future = new CompletableFuture<>();
            established = future;
            if (isDecided || isEnded()) {
                settle();
            }
        }
        return future.copy();
    }

    /// Tells [#established] what there is to tell.
    void settle() {
        CompletableFuture<RdmaConnection> told = established;
        if (told != null && wasConnected) {
            told.complete(connection);
        } else if (told != null && isEnded()) {
            told.completeExceptionally(
                    new DocaException(error, connection + " did not come about: " + explanation));
        }
    }

    boolean isUnsettled() {
        return established != null && !established.isDone();
    }

    /// Whether the application is to be told when it ends.
    boolean isAnnounced() {
        return wasConnected || isAwaited;
    }

    /// Tells what has become of it.
    ///
    /// DRDMA-CM-7: one of them, once.
    void announceEnd(ConnectionHandler handler) {
        if (wasConnected) {
            handler.disconnected(connection);
        } else if (isAwaited) {
            handler.failed(connection, error, explanation);
        }
    }
}
