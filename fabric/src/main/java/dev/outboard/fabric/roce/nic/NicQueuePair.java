package dev.outboard.fabric.roce.nic;

import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.QueuePairMachine;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import org.jspecify.annotations.Nullable;

/// A queue pair in its [NicMachine]: the protocol, and where the machine keeps it.
public final class NicQueuePair {
    private final QueuePairMachine machine;

    /// Whether it stands in the [ReadyQueue].
    boolean isReady;

    /// Whether it stands in the [Deferral].
    boolean isDeferred;

    final Patience patience = new Patience();

    /// Where it stands in the [DeadlineQueue], or -1.
    int deadlineIndex = -1;

    /// When the [DeadlineQueue] looks at the deadline again.
    long lookAgainNanos;

    private boolean isGone;

    /// What the first packet of the peer triggers, if anything (roce.md 5.8: it stands in for a
    /// lost RTU).
    private @Nullable Runnable firstPacketAction;

    NicQueuePair(QueuePairMachine machine) {
        this.machine = machine;
    }

    public QueuePairMachine machine() {
        return machine;
    }

    /// `action` runs when the first packet of the peer arrives.
    void onFirstPacket(Runnable action) {
        firstPacketAction = action;
    }

    /// Whether packets of `transport` may be for this queue pair.
    boolean isOf(Opcode.Transport transport) {
        return switch (machine.type()) {
            case RELIABLE_CONNECTED -> transport != Opcode.Transport.UD;
            case UNRELIABLE_DATAGRAM -> transport == Opcode.Transport.UD;
            case RAW_PACKET -> false;
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
        return !isGone && machine.transmit(sink, now);
    }

    long deadlineNanos() {
        return isGone ? Long.MAX_VALUE : machine.deadlineNanos();
    }

    /// It is destroyed, though it may stand in a queue still.
    void leave() {
        isGone = true;
    }
}
