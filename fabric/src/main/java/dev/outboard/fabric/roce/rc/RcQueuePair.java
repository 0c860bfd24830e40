package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairChange.Attribute;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.Port;
import dev.outboard.fabric.roce.transport.QueuePairMachine;
import dev.outboard.fabric.roce.transport.ReceivedMessage;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.verbs.Counters;
import dev.outboard.fabric.verbs.QueuePairCore;
import java.lang.invoke.VarHandle;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A reliable-connected queue pair as a pure state machine (roce.md 3): the states here, sending in
/// the [Requester], receiving in the [Responder].
public final class RcQueuePair implements QueuePairMachine {
    private final QueuePairCore core;
    private final Port port;
    private final CongestionShare congestion;
    private final Counters<QueuePairCounter> counters = new Counters<>(QueuePairCounter.class);

    private volatile QueuePairState state = QueuePairState.RESET;
    private Set<Access> access = EnumSet.noneOf(Access.class);
    private @Nullable Requester requester;
    private @Nullable Responder responder;
    private boolean requestsAhead;
    private @Nullable RcConnection connection;

    /// Whether the application was told that the peer sends; see COMMUNICATION_ESTABLISHED.
    private boolean isEstablished;

    /// Whether the application was told that the send queue is drained.
    private boolean isDrainReported;

    /// A queue pair in state RESET.
    public RcQueuePair(QueuePairCore core, Port port, CongestionControl congestion) {
        this.core = core;
        this.port = port;
        this.congestion = new CongestionShare(congestion, core.number());
    }

    @Override
    public int number() {
        return core.number();
    }

    @Override
    public QueuePairType type() {
        return QueuePairType.RELIABLE_CONNECTED;
    }

    /// The protection domain.
    public int domain() {
        return core.domain();
    }

    RegionTable regions() {
        return core.regions();
    }

    @Override
    public QueuePairState state() {
        return state;
    }

    public Counters<QueuePairCounter> counters() {
        return counters;
    }

    @Override
    public void countersTo(Map<String, Long> into) {
        counters.copyTo(into, "");
    }

    @Override
    public long bytesReceived() {
        return counters.get(QueuePairCounter.BYTES_RECEIVED);
    }

    /// The peer, once there is one.
    public @Nullable RcConnection connection() {
        return connection;
    }

    @Override
    public @Nullable Path path() {
        RcConnection known = connection;
        return known == null ? null : known.path();
    }

    /// Whether the peer may do what `right` stands for (roce.md 3.11: checked before any key).
    boolean permits(Access right) {
        return access.contains(right);
    }

    /// Whether requests that have not been started must wait.
    boolean isDraining() {
        return state == QueuePairState.SEND_QUEUE_DRAIN;
    }

    @Override
    public boolean post(SendRequest request) {
        return switch (state) {
            case READY_TO_SEND, SEND_QUEUE_DRAIN, ERROR -> core.post(request);
            default -> throw wrongState("sends are possible from READY_TO_SEND on");
        };
    }

    private FabricException wrongState(String rule) {
        return new FabricException(
                Reason.INVALID_STATE,
                "queue pair %d is in state %s; %s".formatted(number(), state, rule));
    }

    @Override
    public boolean isWaitingForAnswers() {
        return state == QueuePairState.READY_TO_SEND && core.sends().isWaitingForAnswers();
    }

    @Override
    public boolean post(ReceiveRequest request) {
        if (state == QueuePairState.RESET) {
            throw wrongState("receives are possible from INIT on");
        }
        return core.post(request);
    }

    @Override
    public void modify(QueuePairChange change) {
        port.check(this, change);
        if (change.given().contains(Attribute.ACCESS)) {
            access = EnumSet.noneOf(Access.class);
            access.addAll(change.access());
        }
        switch (change.state()) {
            case RESET -> reset();
            case INIT -> state = QueuePairState.INIT;
            case READY_TO_RECEIVE -> {
                AddressVector vector = change.addressVector().orElseThrow();
                startReceiving(RcConnection.along(port.pathTo(vector)).with(change));
            }
            case READY_TO_SEND -> {
                adopt(change);
                if (state == QueuePairState.READY_TO_RECEIVE) {
                    startSending();
                }
                state = QueuePairState.READY_TO_SEND;
            }
            case SEND_QUEUE_DRAIN -> {
                adopt(change);
                isDrainReported &= state == QueuePairState.SEND_QUEUE_DRAIN;
                state = QueuePairState.SEND_QUEUE_DRAIN;
                reportDrained();
            }
            case SEND_QUEUE_ERROR -> throw new AssertionError("no transition leads there");
            case ERROR -> fail();
        }
    }

    /// INIT → READY_TO_RECEIVE → READY_TO_SEND at once, as connection management does it.
    public void connect(RcConnection newConnection) {
        if (state != QueuePairState.INIT) {
            throw wrongState("connecting needs INIT");
        }
        startReceiving(newConnection);
        startSending();
        state = QueuePairState.READY_TO_SEND;
    }

    /// The handshake took `nanos` for a round trip: no answer comes much sooner at first.
    public void handshakeTook(long nanos) {
        Requester sending = requester;
        if (sending != null) {
            sending.handshakeTook(nanos);
        }
    }

    private void startReceiving(RcConnection newConnection) {
        RcConnection known = congestion.onPath(newConnection);
        connection = known;
        responder = new Responder(this, core, known, congestion.join(known.path()), counters);
        state = QueuePairState.READY_TO_RECEIVE;
    }

    private void startSending() {
        RcConnection known = connection;
        SendBudget ours = congestion.budget();
        if (known == null || ours == null) {
            throw new IllegalStateException("nothing leads to READY_TO_SEND without a connection");
        }
        requester = new Requester(this, core.sends(), known, ours, counters);
    }

    @Override
    public void close() {
        congestion.leave(path());
    }

    /// Takes over what changes in a connection.
    private void adopt(QueuePairChange change) {
        RcConnection known = connection;
        if (known == null) {
            return;
        }
        RcConnection changed = known.with(change);
        if (change.addressVector().isPresent()) {
            Path path = port.pathTo(change.addressVector().orElseThrow());
            changed = congestion.onPath(changed.with(path));
            congestion.move(known.path(), changed.path());
        }
        connection = changed;
        if (responder != null) {
            responder.adopt(changed);
        }
        if (requester != null) {
            requester.adopt(changed);
        }
    }

    private void reset() {
        state = QueuePairState.RESET;
        congestion.leave(path());
        requester = null;
        responder = null;
        connection = null;
        access = EnumSet.noneOf(Access.class);
        requestsAhead = false;
        isEstablished = false;
        isDrainReported = false;
        core.clear();
        core.regions().queuePairGone(number());
        counters.clear();
    }

    /// From the peer this queue pair is connected to (roce.md 3.6).
    ///
    /// ROCE-RC-20: a packet from another address than the peer's, or in a state that takes none, is
    /// dropped.
    @Override
    public boolean accepts(Packet packet) {
        RcConnection known = connection;
        if (known == null) {
            return false;
        }
        Gid peer = known.path().destination();
        return peer.low() == packet.sourceLow() && peer.high() == packet.sourceHigh();
    }

    @Override
    public void receive(Packet packet, long nowNanos) {
        congestion.received(packet, nowNanos);
        switch (packet.opcode().operation()) {
            case ACKNOWLEDGE, READ_RESPONSE, ATOMIC_ACK -> receiveResponse(packet, nowNanos);
            case CNP -> receiveNotification(nowNanos);
            default -> receiveRequest(packet, nowNanos);
        }
    }

    /// The network is congested on the way to the peer. Never acknowledged (roce.md 6).
    private void receiveNotification(long nowNanos) {
        counters.increment(QueuePairCounter.NOTIFICATIONS_RECEIVED);
        Requester sending = requester;
        if (isSending() && sending != null) {
            sending.notified(nowNanos);
        }
    }

    private void receiveResponse(Packet packet, long nowNanos) {
        Requester sending = requester;
        if (!isSending() || sending == null) {
            counters.increment(QueuePairCounter.WRONG_STATE_DROPPED);
        } else {
            if (packet.opcode().operation() == Opcode.Operation.ACKNOWLEDGE) {
                sending.acknowledge(packet, nowNanos);
            } else {
                sending.respond(packet, nowNanos);
            }
            reportDrained();
        }
    }

    private void receiveRequest(Packet packet, long nowNanos) {
        Responder receiving = responder;
        if (receiving == null || state == QueuePairState.ERROR) {
            counters.increment(QueuePairCounter.WRONG_STATE_DROPPED);
            return;
        }
        if (state == QueuePairState.READY_TO_RECEIVE && !isEstablished) {
            isEstablished = true;
            core.raise(AsyncEvent.Type.COMMUNICATION_ESTABLISHED);
        }
        receiving.receive(packet, nowNanos);
    }

    /// Whether the requester runs.
    private boolean isSending() {
        return state == QueuePairState.READY_TO_SEND || state == QueuePairState.SEND_QUEUE_DRAIN;
    }

    /// The peer takes requests ahead of acknowledgements (decision 0010).
    public void sendRequestsAhead() {
        requestsAhead = true;
    }

    @Override
    public boolean mayAnswerLater() {
        Responder receiving = responder;
        Requester sending = requester;
        return requestsAhead
                && state == QueuePairState.READY_TO_SEND
                && receiving != null
                && receiving.awaitsAnswer()
                && sending != null
                && !sending.hasToTransmit();
    }

    /// Sends what is due: first what is owed to the peer, then requests. An acknowledgement goes
    /// behind a request of one packet if the peer takes it there: the two leave in one system call,
    /// which wants the longer packet first.
    @Override
    public boolean transmit(PacketSink sink, long nowNanos) {
        if (!notifyPeer(sink)) {
            return true;
        }
        Responder receiving = responder;
        Requester ahead = requestsAhead ? requester : null;
        if (ahead != null
                && isSending()
                && ahead.hasOnePacket()
                && receiving != null
                && receiving.owesAcknowledgementOnly()) {
            ahead.transmit(sink, nowNanos);
        }
        boolean hasMore = receiving != null && !receiving.transmit(sink);
        if (state == QueuePairState.ERROR) {
            flush();
            return hasMore;
        }
        Requester sending = requester;
        return (sending != null && sending.transmit(sink, nowNanos)) || hasMore;
    }

    @Override
    public void answer(PacketSink sink) {
        Responder receiving = responder;
        if (receiving != null) {
            receiving.transmit(sink);
        }
    }

    /// False if the sink is full.
    private boolean notifyPeer(PacketSink sink) {
        RcConnection known = connection;
        if (known == null || !congestion.owesNotification()) {
            return true;
        }
        if (!sink.hasRoom()) {
            return false;
        }
        congestion.notifyPeer(sink, known.destinationQpn());
        counters.increment(QueuePairCounter.NOTIFICATIONS_SENT);
        return true;
    }

    @Override
    public long deadlineNanos() {
        Requester sending = requester;
        return isSending() && sending != null ? sending.deadlineNanos() : RetransmitTimer.NONE;
    }

    @Override
    public boolean onTimer(long nowNanos) {
        Requester sending = requester;
        if (!isSending() || sending == null) {
            return false;
        }
        long timeouts = counters.get(QueuePairCounter.TIMEOUTS);
        sending.onTimer(nowNanos);
        return counters.get(QueuePairCounter.TIMEOUTS) > timeouts;
    }

    /// ROCE-SOCK-8: a packet that exceeds the path's MTU is an error, and is never cut in pieces.
    @Override
    public void tooLong(Path path) {
        if (path.equals(path())) {
            failSend(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
        }
    }

    @Override
    public void fail() {
        if (state != QueuePairState.ERROR) {
            state = QueuePairState.ERROR;
            VarHandle.fullFence();
            flush();
            congestion.abandon();
            if (core.isShared()) {
                core.raise(AsyncEvent.Type.QP_LAST_WQE_REACHED);
            }
        }
    }

    /// Goes to ERROR because the oldest send request failed with `status`; the rest is flushed.
    public void failSend(CompletionStatus status) {
        if (isSending() && core.sends().head() < core.sends().posted()) {
            countLost(core.completeSend(status));
        }
        fail();
    }

    /// Goes to ERROR because the receive that was taken failed with `status` at `packet`; the rest
    /// is flushed.
    void failReceive(CompletionStatus status, Packet packet) {
        countLost(ReceivedMessage.fail(core, status, packet));
        fail();
    }

    /// The oldest send request succeeded.
    void completeSend() {
        if (!core.completeSend()) {
            overrun();
        }
    }

    /// The receive that was taken succeeded; false if the application cannot be told because its
    /// completion queue is full.
    boolean completeReceive(CompletionOpcode opcode, long byteCount, Packet packet) {
        boolean told = ReceivedMessage.complete(core, opcode, byteCount, packet);
        if (!told) {
            overrun();
        }
        return told;
    }

    /// ROCE-RC-31: what is outstanding completes as flushed, in order.
    private void flush() {
        countLost(core.flush());
    }

    /// The application let the completion queue run full: a completion is lost, so the queue pair
    /// cannot go on.
    private void overrun() {
        countLost(false);
        core.raise(AsyncEvent.Type.QP_FATAL);
        fail();
    }

    private void countLost(boolean told) {
        if (!told) {
            counters.increment(QueuePairCounter.COMPLETION_QUEUE_OVERRUNS);
        }
    }

    /// ROCE-RC-32: the event comes when everything that had begun has completed.
    private void reportDrained() {
        Requester sending = requester;
        if (isDraining() && !isDrainReported && sending != null && sending.isDrained()) {
            isDrainReported = true;
            core.raise(AsyncEvent.Type.SQ_DRAINED);
        }
    }
}
