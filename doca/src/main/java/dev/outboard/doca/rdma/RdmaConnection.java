package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
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

    /// RDMA READs and atomics under way at a time; more wait.
    private static final int READ_DEPTH = 16;

    /// What a reply of the connection manager carries for the application.
    private static final int MAX_REPLY_BYTES = 196;

    /// InfiniBand's code of 0.64 ms: how long a peer waits when it finds no receive.
    private static final int RNR_TIMER_CODE = 12;

    private final Rdma rdma;
    private final int id;
    private final int slot;
    private final QueuePair queuePair;
    private final int psn;

    /// If it is made by address.
    private final @Nullable ConnectionId cmId;

    private final @Nullable RequestTask[] ring;
    private final SendRequest request = new SendRequest();
    private long submitted;
    private long completed;

    /// The place of the first task that was held back.
    private long heldFrom = Long.MAX_VALUE;

    private @Nullable Object userData;
    private RdmaState state = RdmaState.INIT;

    /// Was once CONNECTED.
    private boolean wasConnected;

    /// A peer asked for it and has no answer.
    private boolean isRequested;

    /// It was asked for, or granted, and nobody knows yet what becomes of it.
    private boolean isAwaited;

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
        this.rdma = rdma;
        this.id = id;
        this.slot = slot;
        this.queuePair = queuePair;
        this.psn = psn;
        this.cmId = cmId;
        this.ring = new RequestTask[sendQueueSize];
        request.id(slot);
    }

    // ---- what it is -----------------------------------------------------------------------------

    /// Unique within its context.
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
    public byte[] details() {
        Device device = rdma.device().protectionDomain().device();
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
        if (peerDetails == null) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "peerDetails are null; pass what the peer of " + this + " exported");
        }
        rdma.exclusively(() -> connectNow(peerDetails));
    }

    private void connectNow(byte[] peerDetails) {
        rdma.requireConnectable();
        if (state != RdmaState.INIT || cmId != null) {
            throw new DocaException(
                    DocaError.BAD_STATE,
                    cmId == null
                            ? this + " is " + state + " already"
                            : this + " is made by address, not by details");
        }
        ConnectionBlob peer = ConnectionBlob.decode(peerDetails);
        RdmaSettings settings = rdma.settings();
        queuePair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(AddressVector.to(peer.address()))
                        .destinationNumber(peer.queuePairNumber())
                        .pathMtu(Math.min(peer.mtu(), settings.mtu))
                        .receivePsn(peer.psn())
                        .peerGuid(peer.guid())
                        .maxDestinationReadAtomic(READ_DEPTH)
                        .minRnrTimer(RNR_TIMER_CODE));
        queuePair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_SEND)
                        .sendPsn(psn)
                        .timeout(settings.timeoutCode)
                        .retryCount(settings.retryCount)
                        .rnrRetryCount(settings.rnrRetryCount)
                        .maxReadAtomic(READ_DEPTH));
        becomeConnected();
        if (rdma.state() == CtxState.RUNNING) {
            rdma.tell(RdmaConnection::settle, this);
        }
        rdma.wake();
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
    /// @param reply at most 196 bytes for the peer, who finds them in [#privateData]
    /// @throws DocaException with BAD_STATE if nobody asked, or it was answered; with INVALID_VALUE
    ///   if there are too many bytes; with CONNECTION_ABORTED if the peer does not want it any more
    public void accept(byte... reply) {
        Objects.requireNonNull(reply, "reply");
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
                request.prefer(preferences());
                request.accept(parameters(reply));
            } catch (FabricException e) {
                rdma.end(this);
                throw new DocaException(
                        DocaError.CONNECTION_ABORTED,
                        this + " cannot be accepted: " + e.getMessage(),
                        e);
            }
            isAwaited = true;
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

    private ConnectionParameters parameters(byte[] data) {
        RdmaSettings settings = rdma.settings();
        return new ConnectionParameters(
                READ_DEPTH, READ_DEPTH, settings.retryCount, settings.rnrRetryCount, data);
    }

    /// What the context decides, whatever the connection manager would take.
    private QueuePairChange preferences() {
        RdmaSettings settings = rdma.settings();
        return QueuePairChange.to(QueuePairState.READY_TO_SEND)
                .access(AccessFlag.rights(settings.permissions))
                .pathMtu(settings.mtu)
                .minRnrTimer(RNR_TIMER_CODE)
                .timeout(settings.timeoutCode)
                .retryCount(settings.retryCount)
                .rnrRetryCount(settings.rnrRetryCount);
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
        requireOperand(dst, "dst");
        requireOperand(result, "result");
        return rdma.allocated(
                TaskType.ATOMIC_CMP_SWP,
                () -> new AtomicCmpSwpTask(rdma, this, dst, result, compare, swap));
    }

    /// Allocates a fetch-and-add; see [#allocSend].
    ///
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public AtomicFetchAddTask allocAtomicFetchAdd(RemoteBuf dst, Buf result, long add) {
        requireOperand(dst, "dst");
        requireOperand(result, "result");
        return rdma.allocated(
                TaskType.ATOMIC_FETCH_ADD,
                () -> new AtomicFetchAddTask(rdma, this, dst, result, add));
    }

    /// Allocates a get of a sync event; see [#allocSend].
    ///
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public SyncEventGetTask allocSyncEventGet(SyncEventRemoteNet event, Buf dst) {
        requireOperand(event, "event");
        requireOperand(dst, "dst");
        return rdma.allocated(
                TaskType.REMOTE_NET_SYNC_EVENT_GET,
                () -> new SyncEventGetTask(rdma, this, event, dst));
    }

    /// Allocates a set of a sync event; see [#allocSend].
    ///
    /// @param src may be a list; surplus bytes are ignored
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public SyncEventNotifySetTask allocSyncEventNotifySet(SyncEventRemoteNet event, Buf src) {
        requireOperand(event, "event");
        requireOperand(src, "src");
        return rdma.allocated(
                TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_SET,
                () -> new SyncEventNotifySetTask(rdma, this, event, src));
    }

    /// Allocates an add to a sync event; see [#allocSend].
    ///
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public SyncEventNotifyAddTask allocSyncEventNotifyAdd(
            SyncEventRemoteNet event, long addend, Buf result) {
        requireOperand(event, "event");
        requireOperand(result, "result");
        return rdma.allocated(
                TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_ADD,
                () -> new SyncEventNotifyAddTask(rdma, this, event, addend, result));
    }

    private void requireOperand(@Nullable Object operand, String name) {
        if (operand == null) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "a task of " + this + " needs a " + name + ", not null");
        }
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
        asking.prefer(preferences());
        asking.connect(parameters(new byte[0]));
    }

    /// The peer is there; `reply` is what it said.
    void becomeEstablished(byte[] reply) {
        privateData = reply.length == 0 ? privateData : reply;
        becomeConnected();
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

    private void becomeConnected() {
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

    boolean wasConnected() {
        return wasConnected;
    }

    boolean isEnded() {
        return state == RdmaState.ERROR || state == RdmaState.RESET;
    }

    @Nullable ConnectionId cmId() {
        return cmId;
    }

    /// Tells what has become of it.
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

    Rdma rdma() {
        return rdma;
    }

    boolean isFull() {
        return submitted - completed == ring.length;
    }

    boolean isIdle() {
        return submitted == completed;
    }

    /// Sends `task`; the queue is not full.
    void post(RequestTask task) {
        enqueue(task);
        send(task);
    }

    private void send(RequestTask task) {
        task.prepare(request);
        try {
            if (!queuePair.post(request)) {
                throw new IllegalStateException("the send queue is smaller than promised");
            }
        } catch (FabricException e) {
            // With its device closed under it, the next progress ends all tasks, this one too.
            if (e.reason() != Reason.CLOSED) {
                throw e;
            }
        }
    }

    /// Lets `task` wait for [#flush]; the queue is not full.
    void hold(RequestTask task) {
        heldFrom = Math.min(heldFrom, submitted);
        enqueue(task);
    }

    /// Sends what was held back, unless the device is closed, which fails it later. The application
    /// may have given buffers back in the meantime.
    ///
    /// @return how many of the tasks can only fail
    int flush() {
        int broken = 0;
        boolean isOpen = rdma.verbs().isOpen();
        for (long place = Math.max(heldFrom, completed); isOpen && place < submitted; place++) {
            RequestTask task = Objects.requireNonNull(ring[(int) place & (ring.length - 1)]);
            if (task.broken == null) {
                task.broken = task.check();
                if (task.broken == null) {
                    send(task);
                } else {
                    broken++;
                }
            }
        }
        heldFrom = Long.MAX_VALUE;
        return broken;
    }

    /// Takes its place in the order of completion, without sending anything.
    void enqueue(RequestTask task) {
        ring[(int) submitted & (ring.length - 1)] = task;
        submitted++;
    }

    /// The task whose turn it is to complete.
    RequestTask take() {
        int slot = (int) completed & (ring.length - 1);
        RequestTask task = Objects.requireNonNull(ring[slot]);
        ring[slot] = null;
        completed++;
        return task;
    }

    /// Takes the task whose turn it is to complete if it was never sent.
    @Nullable RequestTask takeBroken() {
        RequestTask task = ring[(int) completed & (ring.length - 1)];
        return task != null && task.broken != null ? take() : null;
    }

    /// Whether the queue pair failed, and nobody has been told.
    boolean hasFailed() {
        return state == RdmaState.CONNECTED && queuePair.state() == QueuePairState.ERROR;
    }

    /// Ends everything outstanding: it completes as flushed.
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
