package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairControl;
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
public final class RdmaConnection {
    private static final Logger LOGGER = System.getLogger(RdmaConnection.class.getName());

    /// What a reply of the connection manager carries for the application.
    private static final int MAX_REPLY_BYTES = 196;

    /// The context of the connection.
    final Rdma rdma;

    private final RdmaControlPath control;
    private final int id;
    private final int slot;
    private final QueuePairControl queuePair;
    private final int psn;

    /// If it is made by address.
    private final @Nullable ConnectionId cmId;

    private final SendQueue sends;
    private @Nullable Object userData;
    private final ConnectionLife life = new ConnectionLife(this);

    /// Where the peer's device is; null until it is connected.
    private @Nullable InetAddress peerHost;

    private byte[] privateData = {};

    RdmaConnection(
            RdmaControlPath control,
            int id,
            int slot,
            QueuePairControl queuePair,
            SendQueue sends,
            int psn,
            @Nullable ConnectionId cmId) {
        rdma = control.rdma();
        this.control = control;
        this.id = id;
        this.slot = slot;
        this.queuePair = queuePair;
        this.psn = psn;
        this.cmId = cmId;
        this.sends = sends;
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
        return life.state();
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
        if (life.isEnded()) {
            throw new DocaException(DocaError.BAD_STATE, this + " has ended; export another");
        }
        return control.blob(control.configuration().transportType(), queuePair, psn).encode();
    }

    /// Connects to the peer that exported `peerDetails`.
    ///
    /// @throws DocaException with INVALID_VALUE if they are null or empty, with CONNECTION_ABORTED
    ///   if they are damaged, foreign, or do not fit; with BAD_STATE if it is connected already, or
    ///   in a state of the context that does not allow it
    public void connect(byte[] peerDetails) {
        DocaException.nonNull(peerDetails, "peerDetails");
        control.exclusively(() -> connectNow(peerDetails));
    }

    /// DRDMA-CONN-4, DFLT-42: once.
    private void connectNow(byte[] peerDetails) {
        control.requireConnectable();
        requireByDetails();
        if (state() != RdmaState.INIT) {
            throw new DocaException(DocaError.BAD_STATE, this + " is " + state() + " already");
        }
        RdmaConfiguration configuration = control.configuration();
        ConnectionBlob peer = ConnectionBlob.decode(configuration.transportType(), peerDetails);
        queuePair.modify(configuration.readyToReceive(peer));
        queuePair.modify(configuration.readyToSend(psn));
        becomeConnected(peer.address());
        if (control.isRunning()) {
            control.settle(this);
        }
        control.wake();
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
        return control.exclusively(() -> life.established(control.isRunning()));
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
        control.exclusively(() -> {
            ConnectionId request = requireRequest("accepted");
            if (reply.length > MAX_REPLY_BYTES) {
                throw new DocaException(
                        DocaError.INVALID_VALUE,
                        "the private data for the peer has %d bytes; valid: at most %d"
                                .formatted(reply.length, MAX_REPLY_BYTES));
            }
            life.becomeAnswered();
            try {
                request.prefer(control.configuration().preferences());
                request.limitAttempt(control.configuration().connectionRequestTimeout());
                request.accept(control.configuration().parameters(reply));
            } catch (FabricException e) {
                control.end(this);
                throw new DocaException(
                        DocaError.CONNECTION_ABORTED,
                        this + " cannot be accepted: " + e.getMessage(),
                        e);
            }
            life.becomeAwaited();
        });
    }

    /// Rejects what the peer asked for; the connection leaves its context.
    ///
    /// @throws DocaException with BAD_STATE if nobody asked, or it was answered
    public void reject() {
        control.exclusively(() -> {
            ConnectionId request = requireRequest("rejected");
            life.becomeAnswered();
            request.reject(new byte[0]);
            control.end(this);
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
        control.exclusively(() -> {
            if (control.configuration().isGated()) {
                throw new DocaException(
                        DocaError.NOT_PERMITTED,
                        this + " is the only one there can be; stop its context instead");
            }
            life.becomeFailed(DocaError.CONNECTION_ABORTED, "it was given up on this side");
            control.end(this);
        });
    }

    private ConnectionId requireRequest(String action) {
        if (cmId == null || !life.isRequested()) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " has no request that can be " + action);
        }
        return cmId;
    }

    // ---- tasks ----------------------------------------------------------------------------------

    /// Allocates a send.
    ///
    /// @param src the message, null for one without payload; a list may have as many buffers as
    ///   [Rdma#maxSendBufListLen]
    /// @throws DocaException with BAD_STATE unless the context is running, with NOT_PERMITTED if
    ///   the type is not enabled, with NO_MEMORY if all its tasks are allocated
    public SendTask allocSend(@Nullable Buf src) {
        return rdma.allocated(TaskType.SEND, () -> new SendTask(rdma, this, src));
    }

    /// Allocates a send of a message without payload; see [#allocSend(Buf)].
    public SendTask allocSend() {
        return allocSend(null);
    }

    /// Allocates a send with immediate; see [#allocSend].
    public SendImmTask allocSendImm(@Nullable Buf src, Be32 immediate) {
        DocaException.nonNull(immediate, "immediate");
        return rdma.allocated(TaskType.SEND_IMM, () -> new SendImmTask(rdma, this, src, immediate));
    }

    /// Allocates a send of an immediate without payload; see [#allocSend(Buf)].
    public SendImmTask allocSendImm(Be32 immediate) {
        return allocSendImm(null, immediate);
    }

    /// Allocates a read; see [#allocSend].
    ///
    /// @param dst may be null if `src` is
    public ReadTask allocRead(@Nullable RemoteBuf src, @Nullable Buf dst) {
        return rdma.allocated(TaskType.READ, () -> new ReadTask(rdma, this, src, dst));
    }

    /// Allocates a read of nothing, to see whether the peer is there; see [#allocSend(Buf)].
    public ReadTask allocRead() {
        return allocRead(null, null);
    }

    /// Allocates a write; see [#allocSend].
    ///
    /// @param dst may be null if `src` is
    public WriteTask allocWrite(@Nullable Buf src, @Nullable RemoteBuf dst) {
        return rdma.allocated(TaskType.WRITE, () -> new WriteTask(rdma, this, src, dst));
    }

    /// Allocates a write of nothing, to see whether the peer is there; see [#allocSend(Buf)].
    public WriteTask allocWrite() {
        return allocWrite(null, null);
    }

    /// Allocates a write with immediate; see [#allocSend].
    ///
    /// @param dst may be null if `src` is
    public WriteImmTask allocWriteImm(@Nullable Buf src, @Nullable RemoteBuf dst, Be32 immediate) {
        DocaException.nonNull(immediate, "immediate");
        return rdma.allocated(
                TaskType.WRITE_IMM, () -> new WriteImmTask(rdma, this, src, dst, immediate));
    }

    /// Allocates a write of an immediate only; see [#allocSend(Buf)].
    public WriteImmTask allocWriteImm(Be32 immediate) {
        return allocWriteImm(null, null, immediate);
    }

    /// Allocates a compare-and-swap; see [#allocSend].
    ///
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public AtomicCmpSwpTask allocAtomicCmpSwp(RemoteBuf dst, Buf result, long compare, long swap) {
        DocaException.nonNull(dst, "dst");
        DocaException.nonNull(result, "result");
        return rdma.allocated(
                TaskType.ATOMIC_CMP_SWP,
                () -> new AtomicCmpSwpTask(rdma, this, dst, result, compare, swap));
    }

    /// Allocates a fetch-and-add; see [#allocSend].
    ///
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public AtomicFetchAddTask allocAtomicFetchAdd(RemoteBuf dst, Buf result, long add) {
        DocaException.nonNull(dst, "dst");
        DocaException.nonNull(result, "result");
        return rdma.allocated(
                TaskType.ATOMIC_FETCH_ADD,
                () -> new AtomicFetchAddTask(rdma, this, dst, result, add));
    }

    /// Allocates a get of a sync event; see [#allocSend].
    ///
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public SyncEventGetTask allocSyncEventGet(SyncEventRemoteNet event, Buf dst) {
        DocaException.nonNull(event, "event");
        DocaException.nonNull(dst, "dst");
        return rdma.allocated(
                TaskType.REMOTE_NET_SYNC_EVENT_GET,
                () -> new SyncEventGetTask(rdma, this, event, dst));
    }

    /// Allocates a set of a sync event; see [#allocSend].
    ///
    /// @param src may be a list; surplus bytes are ignored
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public SyncEventNotifySetTask allocSyncEventNotifySet(SyncEventRemoteNet event, Buf src) {
        DocaException.nonNull(event, "event");
        DocaException.nonNull(src, "src");
        return rdma.allocated(
                TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_SET,
                () -> new SyncEventNotifySetTask(rdma, this, event, src));
    }

    /// Allocates an add to a sync event; see [#allocSend].
    ///
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public SyncEventNotifyAddTask allocSyncEventNotifyAdd(
            SyncEventRemoteNet event, long addend, Buf result) {
        DocaException.nonNull(event, "event");
        DocaException.nonNull(result, "result");
        return rdma.allocated(
                TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_ADD,
                () -> new SyncEventNotifyAddTask(rdma, this, event, addend, result));
    }

    // ---- the context's --------------------------------------------------------------------------

    /// A peer asked for it, saying `data`.
    void becomeRequested(byte[] data) {
        life.becomeRequested();
        privateData = data;
    }

    /// Asks the peer, now that the way to it is known.
    void request() {
        ConnectionId asking = Objects.requireNonNull(cmId);
        asking.prefer(control.configuration().preferences());
        asking.connect(control.configuration().parameters(new byte[0]));
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

    /// Asks the peer whether it is there, if nothing was heard of it for `silence` and nothing is
    /// under way that would tell.
    ///
    /// @return whether it did
    boolean probe(long now, long silence) {
        return state() == RdmaState.CONNECTED && sends.probe(now, silence);
    }

    private void becomeConnected(@Nullable InetAddress host) {
        sends.heard();
        peerHost = host;
        life.becomeConnected();
        LOGGER.log(Level.DEBUG, "{0} is connected", this);
        ConnectEvent.record(this);
    }

    /// What becomes of it.
    ConnectionLife life() {
        return life;
    }

    @Nullable ConnectionId cmId() {
        return cmId;
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
        return state() == RdmaState.CONNECTED && queuePair.state() == QueuePairState.ERROR;
    }

    /// Ends everything outstanding: it completes as flushed.
    ///
    /// DRDMA-FAIL-4: what is in flight completes as flushed.
    ///
    /// @return false if that was so already
    boolean shut() {
        if (life.isEnded()) {
            return false;
        }
        if (cmId != null) {
            cmId.disconnect();
        }
        if (queuePair.state() != QueuePairState.ERROR) {
            queuePair.modify(QueuePairChange.to(QueuePairState.ERROR));
        }
        life.becomeEnded();
        if (life.wasConnected()) {
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
        life.becomeReset();
    }

    @Override
    public String toString() {
        return "connection " + id + " of " + rdma;
    }
}
