package dev.outboard.doca.rdma;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A connection of an [Rdma] context to one peer (`doca_rdma_connection`), and what its tasks are
/// allocated from. Made by [Rdma#export]: the application carries [#details] to the peer by any
/// means and hands the peer's to [#connect]; both sides do this, in any order. What is sent before
/// the peer is connected is repeated until it is.
///
/// The details name a queue pair: whoever gets hold of them can send to it. Carry them over a
/// secure channel. RDMA traffic itself is not protected: use a network you trust.
///
/// In mode OPEN it can also be made by address: by [Rdma#connectTo] on one side, and on the other
/// by [Rdma#listen] and [#accept].
///
/// Same threads as its context, others get BAD_STATE. Its tasks complete in the order they were
/// submitted.
public final class RdmaConnection extends ConnectionTasks {
    private static final Logger LOGGER = System.getLogger(RdmaConnection.class.getName());

    /// What a reply of the connection manager carries for the application.
    private static final int MAX_REPLY_BYTES = 196;

    private final int id;
    private final int slot;
    private final QueuePair queuePair;
    private final int psn;

    /// If it is made by address.
    private final @Nullable ConnectionId cmId;

    private final SendQueue sends;
    private @Nullable Object userData;
    private RdmaState state = RdmaState.INIT;

    /// Was once CONNECTED.
    private boolean wasConnected;

    /// A peer asked for it and has no answer.
    private boolean isRequested;

    /// It was asked for, or granted, and nobody knows yet what becomes of it.
    private boolean isAwaited;

    /// Where the peer's device is; null until it is connected.
    private @Nullable InetAddress peerHost;

    /// The peer was heard since somebody looked, and when that was at the latest.
    private boolean isHeard;

    private long heardNanos;

    private DocaError error = DocaError.BAD_STATE;
    private String explanation = "its context stopped";
    private byte[] privateData = {};

    /// If somebody asked for it.
    private @Nullable CompletableFuture<RdmaConnection> established;

    RdmaConnection(
            Rdma rdma,
            int id,
            int slot,
            QueuePair queuePair,
            int psn,
            int sendQueueSize,
            @Nullable ConnectionId cmId) {
        super(rdma);
        this.id = id;
        this.slot = slot;
        this.queuePair = queuePair;
        this.psn = psn;
        this.cmId = cmId;
        sends = new SendQueue(rdma.verbs(), queuePair, sendQueueSize, slot);
    }

    // ---- what it is -----------------------------------------------------------------------------

    /// Unique within its context.
    ///
    /// DRDMA-CONN-11: it has user data and the peer's address, too.
    public int id() {
        return id;
    }

    /// INIT until the peer is connected, then CONNECTED; ERROR once it failed or ended, RESET once
    /// it has left its context.
    public RdmaState state() {
        return state;
    }

    /// What the user attached.
    public @Nullable Object userData() {
        return userData;
    }

    /// What the user attached, which is a `type`; null if nothing is.
    ///
    /// @throws ClassCastException if it is something else
    public <T> @Nullable T userDataAs(Class<T> type) {
        DocaException.nonNull(type, "type");
        return type.cast(userData);
    }

    /// Attaches anything.
    public void userData(@Nullable Object newUserData) {
        userData = newUserData;
    }

    /// Where the peer is, if the connection is made by address.
    public Optional<RdmaAddress> peerAddress() {
        return Optional.ofNullable(cmId).flatMap(ConnectionId::remoteAddress).map(RdmaAddress::of);
    }

    /// What the peer said in its request, or in its [#accept], filled up with zeros; empty if
    /// nothing is known.
    public byte[] privateData() {
        return privateData.clone();
    }

    // ---- connecting -----------------------------------------------------------------------------

    /// What the peer has to know, for its [#connect].
    ///
    /// @throws DocaException with BAD_STATE if it has ended, or is made by address
    public byte[] details() {
        requireByDetails();
        if (isEnded()) {
            throw new DocaException(DocaError.BAD_STATE, this + " has ended; export another");
        }
        Device device = rdma.verbs();
        return new ConnectionBlob(
                        device.address(), queuePair.number(), psn, rdma.mtu(), device.guid())
                .encode();
    }

    /// Connects to the peer that exported `peerDetails`.
    ///
    /// @throws DocaException with INVALID_VALUE if they are null or empty, with CONNECTION_ABORTED
    ///   if they are damaged, foreign, or do not fit; with BAD_STATE if it is connected already, or
    ///   in a state of the context that does not allow it
    public void connect(byte[] peerDetails) {
        DocaException.nonNull(peerDetails, "peerDetails");
        rdma.exclusively(() -> connectNow(peerDetails));
    }

    /// DRDMA-CONN-4, DFLT-42: once.
    private void connectNow(byte[] peerDetails) {
        rdma.requireConnectable();
        requireByDetails();
        if (state != RdmaState.INIT) {
            throw new DocaException(DocaError.BAD_STATE, this + " is " + state + " already");
        }
        ConnectionBlob peer = ConnectionBlob.decode(peerDetails);
        RdmaSettings settings = rdma.settings();
        queuePair.modify(settings.readyToReceive(peer));
        queuePair.modify(settings.readyToSend(psn));
        becomeConnected(peer.address());
        if (rdma.state() == CtxState.RUNNING) {
            rdma.tell(RdmaConnection::settle, this);
        }
        rdma.wake();
    }

    private void requireByDetails() {
        if (cmId != null) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " is made by address, not by details");
        }
    }

    /// Ends when tasks can be submitted, with this connection. Meant for threads, virtual ones too,
    /// that wait while another one progresses; what depends on it runs like a callback.
    ///
    /// @return ends with a [DocaException] if it does not come about: with the error that
    ///   [ConnectionHandler#failed] tells, else BAD_STATE
    public CompletableFuture<RdmaConnection> established() {
        return rdma.exclusively(() -> {
            CompletableFuture<RdmaConnection> future = established;
            if (future == null) {
                future = new CompletableFuture<>();
                established = future;
                if (rdma.state() == CtxState.RUNNING || isEnded()) {
                    settle();
                }
            }
            return future.copy();
        });
    }

    /// Accepts what the peer asked for, in [ConnectionHandler#requested] or later. Ends in
    /// [ConnectionHandler#established] or [ConnectionHandler#failed].
    ///
    /// DRDMA-CM-3: in the callback or later, with up to 196 bytes.
    ///
    /// @param reply at most 196 bytes for the peer, who finds them in [#privateData]
    /// @throws DocaException with BAD_STATE if nobody asked, or it was answered; with INVALID_VALUE
    ///   if there are too many bytes; with CONNECTION_ABORTED if the peer does not want it any
    ///   more, as it may once its [Rdma#connectionRequestTimeout] has passed
    public void accept(byte... reply) {
        DocaException.nonNull(reply, "reply");
        rdma.exclusively(() -> {
            ConnectionId request = requireRequest("accepted");
            if (reply.length > MAX_REPLY_BYTES) {
                throw new DocaException(
                        DocaError.INVALID_VALUE,
                        "the private data for the peer has %d bytes; valid: at most %d"
                                .formatted(reply.length, MAX_REPLY_BYTES));
            }
            isRequested = false;
            try {
                request.prefer(rdma.settings().preferences());
                request.limitAttempt(rdma.connectionRequestTimeout());
                request.accept(rdma.settings().parameters(reply));
            } catch (FabricException e) {
                rdma.end(this);
                throw new DocaException(
                        DocaError.CONNECTION_ABORTED,
                        this + " cannot be accepted: " + e.getMessage(),
                        e);
            }
            becomeAwaited();
        });
    }

    /// Rejects what the peer asked for; the connection leaves its context.
    ///
    /// @throws DocaException with BAD_STATE if nobody asked, or it was answered
    public void reject() {
        rdma.exclusively(() -> {
            ConnectionId request = requireRequest("rejected");
            isRequested = false;
            request.reject(new byte[0]);
            rdma.end(this);
        });
    }

    /// Ends it: its tasks in flight are flushed, then it leaves its context, which goes on. If it
    /// was not established yet, [ConnectionHandler#failed] tells CONNECTION_ABORTED. Harmless if it
    /// has ended.
    ///
    /// DRDMA-CM-9: the context goes on.
    ///
    /// @throws DocaException with NOT_PERMITTED in mode GATED, where the context has to be stopped
    public void disconnect() {
        rdma.exclusively(() -> {
            if (rdma.connectionMode() == ConnectionMode.GATED) {
                throw new DocaException(
                        DocaError.NOT_PERMITTED,
                        this + " is the only one there can be; stop its context instead");
            }
            becomeFailed(DocaError.CONNECTION_ABORTED, "it was given up on this side");
            rdma.end(this);
        });
    }

    private ConnectionId requireRequest(String action) {
        if (cmId == null || !isRequested || isEnded()) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " has no request that can be " + action);
        }
        return cmId;
    }

    // ---- the context's --------------------------------------------------------------------------

    /// A peer asked for it, saying `data`.
    void becomeRequested(byte[] data) {
        isRequested = true;
        privateData = data;
    }

    /// The application asked for it.
    void becomeAwaited() {
        isAwaited = true;
    }

    /// Asks the peer, now that the way to it is known.
    void request() {
        ConnectionId asking = Objects.requireNonNull(cmId);
        asking.prefer(rdma.settings().preferences());
        asking.connect(rdma.settings().parameters(new byte[0]));
    }

    /// The peer is there; `reply` is what it said.
    void becomeEstablished(byte[] reply) {
        privateData = reply.length == 0 ? privateData : reply;
        becomeConnected(peerAddress().map(RdmaAddress::address).orElse(null));
    }

    /// Whether the peer's device has the address `host`.
    boolean leadsTo(InetAddress host) {
        InetAddress known = peerHost;
        return known == null || known.equals(host);
    }

    /// Tells [#established] what there is to tell.
    void settle() {
        CompletableFuture<RdmaConnection> told = established;
        if (told != null && wasConnected) {
            told.complete(this);
        } else if (told != null && isEnded()) {
            told.completeExceptionally(
                    new DocaException(error, this + " did not come about: " + explanation));
        }
    }

    boolean isUnsettled() {
        return established != null && !established.isDone();
    }

    /// Something of the peer arrived.
    void heard() {
        isHeard = true;
    }

    /// Asks the peer whether it is there, if nothing was heard of it for `silence` and nothing is
    /// under way that would tell.
    ///
    /// @return whether it did
    boolean probe(long now, long silence) {
        if (state != RdmaState.CONNECTED || !sends.isIdle()) {
            return false;
        }
        if (isHeard) {
            isHeard = false;
            heardNanos = now;
        }
        if (now - heardNanos < silence) {
            return false;
        }
        sends.probe();
        return true;
    }

    private void becomeConnected(@Nullable InetAddress host) {
        isHeard = true;
        peerHost = host;
        isAwaited = false;
        wasConnected = true;
        state = RdmaState.CONNECTED;
        LOGGER.log(Level.DEBUG, "{0} is connected", this);
        ConnectEvent.record(this);
    }

    /// Notes why it fails, if it does, for the application.
    void becomeFailed(DocaError newError, String newExplanation) {
        if (!isEnded()) {
            error = newError;
            explanation = newExplanation;
        }
    }

    /// Whether the application is to be told when it ends.
    boolean isAnnounced() {
        return wasConnected || isAwaited;
    }

    boolean isEnded() {
        return state == RdmaState.ERROR || state == RdmaState.RESET;
    }

    @Nullable ConnectionId cmId() {
        return cmId;
    }

    /// Tells what has become of it.
    ///
    /// DRDMA-CM-7: one of them, once.
    void announceEnd(ConnectionHandler handler) {
        if (wasConnected) {
            handler.disconnected(this);
        } else if (isAwaited) {
            handler.failed(this, error, explanation);
        }
    }

    /// Where its context keeps it; its work requests carry this number.
    int slot() {
        return slot;
    }

    int queuePairNumber() {
        return queuePair.number();
    }

    /// Its tasks that have not completed.
    SendQueue sends() {
        return sends;
    }

    /// Whether the queue pair failed, and nobody has been told.
    boolean hasFailed() {
        return state == RdmaState.CONNECTED && queuePair.state() == QueuePairState.ERROR;
    }

    /// Ends everything outstanding: it completes as flushed.
    ///
    /// DRDMA-FAIL-4: what is in flight completes as flushed.
    ///
    /// @return false if that was so already
    boolean shut() {
        if (isEnded()) {
            return false;
        }
        if (cmId != null) {
            cmId.disconnect();
        }
        if (queuePair.state() != QueuePairState.ERROR) {
            queuePair.modify(QueuePairChange.to(QueuePairState.ERROR));
        }
        state = RdmaState.ERROR;
        if (wasConnected) {
            LOGGER.log(Level.DEBUG, "{0} has ended", this);
            DisconnectEvent.record(this);
        }
        return true;
    }

    void close() {
        if (cmId != null) {
            cmId.close();
        }
        queuePair.close();
        state = RdmaState.RESET;
    }

    @Override
    public String toString() {
        return "connection " + id + " of " + rdma;
    }
}
