package dev.outboard.fabric.roce.explain;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.fabric.roce.wire.cm.Rejection;
import dev.outboard.fabric.roce.wire.cm.ServiceId;
import dev.outboard.fabric.roce.wire.cm.SidrReply;
import dev.outboard.fabric.roce.wire.cm.SidrRequest;
import org.jspecify.annotations.Nullable;

/// How two ends have agreed on a connection, or have not.
final class Conversation {
    /// The end that asks, and its number for the connection.
    record Key(Gid active, int id) {}

    /// How often a message was captured, and when.
    static final class Messages {
        int count;
        long firstNanos;
        long lastNanos;

        void add(long nanos) {
            if (count == 0) {
                firstNanos = nanos;
            }
            count++;
            lastNanos = nanos;
        }
    }

    final Gid active;
    final Gid passive;
    final Messages requests = new Messages();
    final Messages replies = new Messages();
    final Messages ready = new Messages();
    final Messages disconnects = new Messages();
    final Messages disconnectReplies = new Messages();
    @Nullable ConnectionRequest request;
    @Nullable ConnectionReply reply;
    final Messages receipts = new Messages();
    @Nullable SidrRequest service;
    @Nullable SidrReply resolution;
    @Nullable Rejection rejection;
    long rejectedNanos;

    /// Who has rejected, and who has asked to disconnect.
    @Nullable Gid rejecter;

    @Nullable Gid leaver;

    Conversation(Gid active, Gid passive) {
        this.active = active;
        this.passive = passive;
    }

    int activeQpn() {
        return request == null ? -1 : request.local().qpn();
    }

    int passiveQpn() {
        return reply == null ? -1 : reply.local().qpn();
    }

    /// With which PSN requests of the active end begin: each end tells it the other one.
    int activePsn() {
        return reply == null ? 0 : reply.local().startingPsn();
    }

    int passivePsn() {
        return request == null ? 0 : request.local().startingPsn();
    }

    long firstNanos() {
        return requests.firstNanos;
    }

    ServiceId serviceId() {
        return request != null
                ? request.service().id()
                : service != null ? service.serviceId() : new ServiceId(0);
    }

    boolean isBetween(Gid one, Gid other) {
        return (active.equals(one) && passive.equals(other))
                || (active.equals(other) && passive.equals(one));
    }

    /// The queue pair that they agreed on at `end`; -1 if they have not.
    int qpnAt(Gid end) {
        return reply == null ? -1 : end.equals(passive) ? passiveQpn() : activeQpn();
    }
}
