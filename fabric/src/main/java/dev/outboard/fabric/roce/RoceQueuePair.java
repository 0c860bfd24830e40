package dev.outboard.fabric.roce;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.rc.QueuePairCounter;
import dev.outboard.fabric.roce.rc.RcConnection;
import dev.outboard.fabric.roce.rc.RcQueuePair;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PacketSink;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A reliable-connected queue pair in its engine: the protocol machine, and where the engine keeps
/// it.
final class RoceQueuePair implements QueuePair {
    private static final VarHandle IS_POSTED;

    static {
        try {
            IS_POSTED =
                    MethodHandles.lookup()
                            .findVarHandle(RoceQueuePair.class, "isPosted", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final RoceDevice device;
    private final RoceProtectionDomain domain;
    private final RcQueuePair machine;
    private final RoceCompletionQueue sendQueue;
    private final RoceCompletionQueue receiveQueue;
    private volatile boolean closed;

    /// The engine's: whether it stands in the [ReadyQueue].
    boolean isReady;

    /// The [DeadlineQueue]'s: where it stands there, or -1.
    int deadlineIndex = -1;

    /// The [DeadlineQueue]'s: when it looks at the deadline again.
    long lookAgainNanos;

    /// The engine's: links the queue pairs with new requests.
    @Nullable RoceQueuePair nextPosted;

    @SuppressWarnings("unused") // through IS_POSTED
    private boolean isPosted;

    /// What the first packet of the peer triggers, if anything (roce.md 5.8: it stands in for a
    /// lost RTU).
    private @Nullable Runnable firstPacketAction;

    RoceQueuePair(
            RoceDevice device,
            RoceProtectionDomain domain,
            RcQueuePair machine,
            RoceCompletionQueue sendQueue,
            RoceCompletionQueue receiveQueue) {
        this.device = device;
        this.domain = domain;
        this.machine = machine;
        this.sendQueue = sendQueue;
        this.receiveQueue = receiveQueue;
    }

    @Override
    public int number() {
        return machine.number();
    }

    @Override
    public QueuePairState state() {
        return machine.state();
    }

    @Override
    public boolean post(SendRequest request) {
        requireOpen();
        boolean posted = machine.post(request);
        device.engine().submit(this);
        return posted;
    }

    @Override
    public boolean post(ReceiveRequest request) {
        requireOpen();
        boolean posted = machine.post(request);
        if (posted && machine.state() == QueuePairState.ERROR) {
            device.engine().submit(this);
        }
        return posted;
    }

    @Override
    public Map<String, Long> counters() {
        Map<String, Long> counters = new LinkedHashMap<>();
        machine.counters().copyTo(counters, "");
        return counters;
    }

    @Override
    public void close() {
        device.engine().exclusively(this::release);
    }

    private void release() {
        if (closed) {
            return;
        }
        closed = true;
        device.engine().queuePairs().remove(number());
        RcConnection connection = machine.connection();
        if (connection != null) {
            device.forget(connection.path());
        }
        domain.left(this);
        sendQueue.left();
        receiveQueue.left();
    }

    /// INIT → READY_TO_SEND. While driving.
    ///
    /// @param firstPacketAction runs when the first packet of the peer arrives
    void connect(RcConnection connection, @Nullable Runnable firstPacketAction) {
        this.firstPacketAction = firstPacketAction;
        machine.connect(connection);
    }

    /// Goes to ERROR, flushing what is outstanding. While driving.
    void fail() {
        machine.fail();
    }

    /// The IP path does not carry packets this long: the oldest request fails. While driving.
    void failPathMtu() {
        machine.failSend(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
    }

    boolean isOn(Path path) {
        RcConnection connection = machine.connection();
        return connection != null && connection.path() == path;
    }

    /// Whether the packet comes from the peer this queue pair is connected to (roce.md 3.6).
    boolean isFrom(Packet packet) {
        RcConnection connection = machine.connection();
        if (connection == null) {
            return false;
        }
        Gid peer = connection.path().destination();
        return peer.low() == packet.sourceLow() && peer.high() == packet.sourceHigh();
    }

    void receive(Packet packet, long now) {
        Runnable action = firstPacketAction;
        if (action != null) {
            firstPacketAction = null;
            action.run();
        }
        machine.receive(packet, now);
    }

    boolean transmit(PacketSink sink, long now) {
        return !closed && machine.transmit(sink, now);
    }

    long deadlineNanos() {
        return closed ? Long.MAX_VALUE : machine.deadlineNanos();
    }

    void onTimer(long now) {
        long timeouts = machine.counters().get(QueuePairCounter.TIMEOUTS);
        machine.onTimer(now);
        RcConnection connection = machine.connection();
        if (connection != null && machine.counters().get(QueuePairCounter.TIMEOUTS) > timeouts) {
            device.distrustSegmentation(connection.path());
        }
    }

    /// Marks that it stands among the queue pairs with new requests; false if it did already. Any
    /// thread.
    boolean markPosted() {
        return IS_POSTED.compareAndSet(this, false, true);
    }

    void clearPosted() {
        IS_POSTED.setVolatile(this, false);
    }

    private void requireOpen() {
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED,
                    "queue pair " + number() + " of " + device.name() + " is closed");
        }
    }
}
