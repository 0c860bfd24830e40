package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.ServiceId;
import dev.outboard.fabric.roce.wire.cm.SidrRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One side of a service ID resolution, made by [ServiceResolver#resolve] or by a SIDR_REQ. The
/// resolver owns and changes it; read it on the agent's thread.
public final class Resolution {
    /// Where it stands.
    enum State {
        /// Active: SIDR_REQ sent. Leads to OVER by a SIDR_REP, or when nobody answers.
        ASKING,
        /// Passive: the application has not answered. Leads to ANSWERED.
        ASKED,
        /// Passive: SIDR_REP sent, to be repeated if it got lost. Leads to OVER after a while.
        ANSWERED,
        OVER
    }

    private final int requestId;
    private final Gid remoteGid;
    private final int localPort;
    private final int remotePort;
    private final @Nullable Listener listener;

    final long transactionId;
    final ServiceId serviceId;

    /// The datagram to be sent again: a SIDR_REQ until it is answered, or the answer.
    byte[] datagram = {};

    /// How often `datagram` was sent.
    int sent;

    /// When the timer runs out; only [ResolutionTimers] changes it.
    long deadlineNanos = ConnectionTable.NEVER;

    /// When the side that asks gives up at the latest.
    long limitNanos = ConnectionTable.NEVER;

    /// The application wants no more events.
    boolean isDestroyed;

    private State state;

    private Resolution(
            SidrRequest request,
            long transactionId,
            Gid remoteGid,
            int localPort,
            int remotePort,
            @Nullable Listener listener) {
        this.requestId = request.requestId();
        this.serviceId = request.serviceId();
        this.transactionId = transactionId;
        this.remoteGid = remoteGid;
        this.localPort = localPort;
        this.remotePort = remotePort;
        this.listener = listener;
        this.state = listener == null ? State.ASKING : State.ASKED;
    }

    /// The side that sends `request`.
    static Resolution active(
            SidrRequest request, long transactionId, Gid remoteGid, int localPort) {
        return new Resolution(
                request, transactionId, remoteGid, localPort, request.serviceId().port(), null);
    }

    /// The side that received `request`.
    static Resolution passive(
            SidrRequest request,
            long transactionId,
            Gid remoteGid,
            int remotePort,
            Listener listener) {
        listener.undecided++;
        return new Resolution(
                request, transactionId, remoteGid, listener.port(), remotePort, listener);
    }

    void enter(State next) {
        if (state == State.ASKED && listener != null) {
            listener.undecided--;
        }
        state = next;
    }

    State state() {
        return state;
    }

    /// Whether this side asked.
    public boolean isActive() {
        return listener == null;
    }

    /// Chosen by the side that asks.
    public int requestId() {
        return requestId;
    }

    /// The passive side's listener.
    public Optional<Listener> listener() {
        return Optional.ofNullable(listener);
    }

    public Gid remoteGid() {
        return remoteGid;
    }

    public int localPort() {
        return localPort;
    }

    public int remotePort() {
        return remotePort;
    }

    @Override
    public String toString() {
        return "resolution %08x %s %s port %d, local port %d, %s"
                .formatted(
                        requestId,
                        isActive() ? "at" : "for",
                        remoteGid,
                        remotePort,
                        localPort,
                        state);
    }
}
