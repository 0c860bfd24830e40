package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import org.jspecify.annotations.Nullable;

/// The part of one queue pair in its device's [CongestionControl]: what it may have on the way to
/// its peer, and, if the device answers marks, the notifications that it owes.
final class CongestionShare {
    private final CongestionControl control;
    private final int number;
    private @Nullable SendBudget budget;
    private @Nullable NotificationPoint notifications;

    /// Of queue pair `number`, which has no peer yet.
    CongestionShare(CongestionControl control, int number) {
        this.control = control;
        this.number = number;
    }

    /// The connection with what congestion control needs to know of its path.
    RcConnection onPath(RcConnection connection) {
        if (!control.isNotifying()) {
            return connection;
        }
        notifications = new NotificationPoint(connection.path());
        return connection.with(NotificationPoint.capable(connection.path()));
    }

    /// Begins to share the way to the peer at the end of `path`.
    SendBudget join(Path path) {
        SendBudget ours = new SendBudget(control, control.join(path.destination()), number);
        budget = ours;
        return ours;
    }

    /// The budget since [#join]; null without a peer.
    @Nullable SendBudget budget() {
        return budget;
    }

    /// The peer has another address.
    void move(Path from, Path to) {
        SendBudget ours = budget;
        if (ours != null) {
            ours.moveTo(control.join(to.destination()));
            control.leave(from.destination());
        }
    }

    /// Nothing is on its way any more.
    void abandon() {
        SendBudget ours = budget;
        if (ours != null) {
            ours.abandon();
        }
    }

    /// There is no peer any more.
    ///
    /// @param path the way to the one there was, if any
    void leave(@Nullable Path path) {
        if (budget != null && path != null) {
            abandon();
            control.leave(path.destination());
        }
        budget = null;
        notifications = null;
    }

    void received(Packet packet, long nowNanos) {
        NotificationPoint point = notifications;
        if (point != null) {
            point.received(packet, nowNanos);
        }
    }

    /// Whether the peer is to be told of marks.
    boolean owesNotification() {
        NotificationPoint point = notifications;
        return point != null && point.isOwed();
    }

    void notifyPeer(PacketSink sink, int destinationQpn) {
        NotificationPoint point = notifications;
        if (point != null) {
            point.send(sink, destinationQpn);
        }
    }
}
