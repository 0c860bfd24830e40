package dev.outboard.fabric.roce.explain;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.CmMessage;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.fabric.roce.wire.cm.DisconnectReply;
import dev.outboard.fabric.roce.wire.cm.DisconnectRequest;
import dev.outboard.fabric.roce.wire.cm.MessageReceiptAcknowledgement;
import dev.outboard.fabric.roce.wire.cm.ReadyToUse;
import dev.outboard.fabric.roce.wire.cm.Rejection;
import dev.outboard.fabric.roce.wire.cm.SidrReply;
import dev.outboard.fabric.roce.wire.cm.SidrRequest;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Follows the connection management of all connections.
final class Handshakes {
    private static final int MANAGEMENT_QPN = 1;

    /// Copies of a datagram come sooner than that.
    private static final long COPY_NANOS = 100_000;

    private final Map<Conversation.Key, Conversation> conversations;
    private final Consumer<Conversation> leaves;
    private final Consumer<Conversation> agreed;
    private final Consumer<Conversation> ended;

    /// @param leaves takes what is forgotten
    /// @param agreed is told when both queue pairs are known
    /// @param ended is told when an end leaves
    Handshakes(
            int limit,
            Consumer<Conversation> leaves,
            Consumer<Conversation> agreed,
            Consumer<Conversation> ended) {
        conversations = new LeastRecent<>(limit, leaves);
        this.leaves = leaves;
        this.agreed = agreed;
        this.ended = ended;
    }

    List<Conversation> all() {
        return List.copyOf(conversations.values());
    }

    void datagram(RocePacket packet) {
        if (packet.destinationQpn() != MANAGEMENT_QPN) {
            return;
        }
        byte[] mad = packet.payloadBytes();
        if (CmDatagram.check(mad) == null) {
            message(packet, CmDatagram.parse(mad).message());
        }
    }

    private void message(RocePacket packet, CmMessage message) {
        long nanos = packet.nanos();
        Gid source = packet.source();
        switch (message) {
            case ConnectionRequest request -> request(packet, request);
            case SidrRequest request -> resolve(packet, request);
            case SidrReply reply -> {
                Conversation asked = of(packet.destination(), reply.requestId());
                if (asked != null) {
                    asked.resolution = reply;
                }
            }
            case ConnectionReply reply -> reply(packet, reply);
            case Rejection rejection -> {
                Conversation rejected = find(packet, rejection.localId(), rejection.remoteId());
                if (rejected != null && rejected.rejection == null) {
                    rejected.rejection = rejection;
                    rejected.rejecter = source;
                    rejected.rejectedNanos = nanos;
                }
            }
            case ReadyToUse ready -> {
                Conversation made = find(packet, ready.localId(), ready.remoteId());
                if (made != null) {
                    made.ready.add(nanos);
                }
            }
            case DisconnectRequest request -> {
                Conversation left = find(packet, request.localId(), request.remoteId());
                if (left != null) {
                    if (left.leaver == null) {
                        left.leaver = source;
                        ended.accept(left);
                    }
                    addUnlessCopy(left.disconnects, nanos);
                }
            }
            case DisconnectReply reply -> {
                Conversation left = find(packet, reply.localId(), reply.remoteId());
                if (left != null) {
                    left.disconnectReplies.add(nanos);
                }
            }
            case MessageReceiptAcknowledgement received -> {
                Conversation known = find(packet, received.localId(), received.remoteId());
                if (known != null) {
                    known.receipts.add(nanos);
                }
            }
        }
    }

    private static void addUnlessCopy(Conversation.Messages messages, long nanos) {
        if (messages.count == 0 || nanos - messages.lastNanos >= COPY_NANOS) {
            messages.add(nanos);
        }
    }

    private void request(RocePacket packet, ConnectionRequest request) {
        Conversation.Key key = new Conversation.Key(packet.source(), request.localId());
        Conversation known = conversations.get(key);
        if (known == null
                || known.request == null
                || known.request.local().qpn() != request.local().qpn()
                || known.request.local().startingPsn() != request.local().startingPsn()) {
            known = begin(key, packet);
            known.request = request;
        }
        addUnlessCopy(known.requests, packet.nanos());
    }

    private void resolve(RocePacket packet, SidrRequest request) {
        Conversation.Key key = new Conversation.Key(packet.source(), request.requestId());
        Conversation known = conversations.get(key);
        if (known == null || known.service == null) {
            known = begin(key, packet);
            known.service = request;
        }
        addUnlessCopy(known.requests, packet.nanos());
    }

    private Conversation begin(Conversation.Key key, RocePacket packet) {
        Conversation begun = new Conversation(packet.source(), packet.destination());
        Conversation before = conversations.put(key, begun);
        if (before != null) {
            leaves.accept(before);
        }
        return begun;
    }

    private void reply(RocePacket packet, ConnectionReply reply) {
        Conversation asked = of(packet.destination(), reply.remoteId());
        if (asked != null && asked.passive.equals(packet.source())) {
            addUnlessCopy(asked.replies, packet.nanos());
            if (asked.reply == null) {
                asked.reply = reply;
                agreed.accept(asked);
            }
        }
    }

    private @Nullable Conversation of(Gid active, int id) {
        return conversations.get(new Conversation.Key(active, id));
    }

    /// Either end may have sent it.
    private @Nullable Conversation find(RocePacket packet, int localId, int remoteId) {
        Conversation ofSender = of(packet.source(), localId);
        if (ofSender != null && ofSender.passive.equals(packet.destination())) {
            return ofSender;
        }
        Conversation ofReceiver = of(packet.destination(), remoteId);
        return ofReceiver != null && ofReceiver.passive.equals(packet.source()) ? ofReceiver : null;
    }
}
