package dev.outboard.fabric.roce;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairChange.Attribute;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.transport.QueuePairMachine;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PacketSink;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A queue pair in its engine: the protocol machine, and where the engine keeps it.
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
    private final QueuePairMachine machine;
    private final Uses uses;
    private volatile boolean closed;

    /// What a queue pair is made of, and what must not be closed before it.
    record Uses(
            RoceCompletionQueue sendQueue,
            RoceCompletionQueue receiveQueue,
            @Nullable RoceSharedReceiveQueue shared) {
        void joined() {
            sendQueue.joined();
            receiveQueue.joined();
            if (shared != null) {
                shared.joined();
            }
        }

        void left() {
            sendQueue.left();
            receiveQueue.left();
            if (shared != null) {
                shared.left();
            }
        }
    }

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
            RoceDevice device, RoceProtectionDomain domain, QueuePairMachine machine, Uses uses) {
        this.device = device;
        this.domain = domain;
        this.machine = machine;
        this.uses = uses;
    }

    @Override
    public int number() {
        return machine.number();
    }

    @Override
    public QueuePairType type() {
        return machine.type();
    }

    /// ERROR once it is closed, with its device or alone.
    @Override
    public QueuePairState state() {
        return closed ? QueuePairState.ERROR : machine.state();
    }

    @Override
    public void modify(QueuePairChange change) {
        requireOpen();
        device.engine()
                .exclusively(() -> {
                    Path before = machine.path();
                    machine.modify(change);
                    if (before != null && !before.equals(machine.path())) {
                        device.forget(before);
                    }
                    if (change.given().contains(Attribute.PEER_GUID)) {
                        change.addressVector()
                                .map(vector -> Gid.of(vector.destination()))
                                .ifPresent(
                                        peer -> device.recognize(peer, change.peerGuid(), machine));
                    }
                    device.engine().ready(this);
                });
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
        machine.countersTo(counters);
        return counters;
    }

    @Override
    public long bytesReceived() {
        return machine.bytesReceived();
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
        machine.close();
        device.engine().queuePairs().remove(number());
        Path path = machine.path();
        if (path != null) {
            device.forget(path);
        }
        device.regions().queuePairGone(number());
        domain.left(this);
        uses.left();
    }

    QueuePairMachine machine() {
        return machine;
    }

    /// `action` runs when the first packet of the peer arrives. While driving.
    void onFirstPacket(Runnable action) {
        firstPacketAction = action;
    }

    /// Whether packets of `transport` may be for this queue pair.
    boolean isOf(Opcode.Transport transport) {
        return switch (machine.type()) {
            case RELIABLE_CONNECTED -> transport != Opcode.Transport.UD;
            case UNRELIABLE_DATAGRAM -> transport == Opcode.Transport.UD;
        };
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
        Path path = machine.path();
        if (machine.onTimer(now) && path != null) {
            device.distrustSegmentation(path);
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
