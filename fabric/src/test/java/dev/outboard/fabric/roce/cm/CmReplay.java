package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.roce.wire.CapturedPacket;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.CmMessage;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.fabric.roce.wire.cm.DisconnectRequest;
import dev.outboard.fabric.roce.wire.cm.IpAddressHeader;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.RejectReason;
import dev.outboard.fabric.roce.wire.cm.Rejection;
import dev.outboard.fabric.roce.wire.cm.SidrReply;
import dev.outboard.fabric.roce.wire.cm.SidrRequest;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;

/// An agent in the place of one side of a captured conversation, and the application that makes it
/// do what that side did. Time stands still: nothing is sent twice.
final class CmReplay implements CmHost {
    private static final int MESSAGE = 24;
    private static final int TRANSACTION_ID = 8;
    private static final int REMOTE_ID = MESSAGE + 4;
    private static final int REQ_STARTING_PSN = MESSAGE + 44;
    private static final int REP_STARTING_PSN = MESSAGE + 20;
    private static final int REQ_SOURCE_PORT = MESSAGE + 140 + 2;
    private static final int SIDR_SOURCE_PORT = MESSAGE + 16 + 2;
    private static final int REQ_FLOW_LABEL = MESSAGE + 88;
    private static final int REQ_FLOW_CONTROL = MESSAGE + 43;
    private static final int REP_FLOW_CONTROL = MESSAGE + 26;
    private static final int DEPTH = 128;
    private static final int BACKLOG = 10;

    private final CmAgent agent;
    private final Queue<byte[]> sent = new ArrayDeque<>();
    private final Queue<Connection> requested = new ArrayDeque<>();
    private final Queue<Resolution> resolutions = new ArrayDeque<>();

    /// Connections by the communication ID that the captured side had.
    private final Map<Integer, Connection> connections = new HashMap<>();

    /// Captured transaction IDs by ours.
    private final Map<Long, Long> transactions = new HashMap<>();

    /// @param conversation all datagrams, of both sides
    CmReplay(Gid gid, List<CapturedPacket> conversation) {
        long caGuid = 0;
        PathMtu mtu = PathMtu.MTU_1024;
        for (CapturedPacket captured : conversation) {
            boolean isOurs = captured.path().source().equals(gid);
            switch (CmDatagram.parse(mad(captured)).message()) {
                case ConnectionRequest request -> {
                    mtu = PathMtu.of(request.paths().mtu()).orElseThrow();
                    caGuid = isOurs ? request.local().caGuid() : caGuid;
                }
                case ConnectionReply reply -> caGuid = isOurs ? reply.local().caGuid() : caGuid;
                default -> {}
            }
        }
        CmConfiguration configuration =
                CmConfiguration.of(caGuid, gid, mtu).withMaximumReadAtomicDepth(DEPTH);
        agent = new CmAgent(configuration, this, new SplittableRandom(1));
        listen(gid, conversation);
    }

    /// The management datagram in a packet to queue pair 1.
    static byte[] mad(CapturedPacket captured) {
        Packet packet = captured.packet();
        return packet.segment()
                .asSlice(packet.payloadOffset(), packet.payloadLength())
                .toArray(ValueLayout.JAVA_BYTE);
    }

    /// On every port that the other side asked for, unless it was told that nobody listens.
    private void listen(Gid gid, List<CapturedPacket> conversation) {
        Set<Integer> streams = new HashSet<>();
        Set<Integer> datagrams = new HashSet<>();
        for (CapturedPacket captured : conversation) {
            CmMessage message = CmDatagram.parse(mad(captured)).message();
            if (message instanceof Rejection rejection
                    && rejection.reason() == RejectReason.INVALID_SERVICE_ID.code()) {
                return;
            }
            if (!captured.path().destination().equals(gid)) {
                continue;
            }
            if (message instanceof ConnectionRequest request) {
                streams.add(request.service().id().port());
            } else if (message instanceof SidrRequest request) {
                datagrams.add(request.serviceId().port());
            }
        }
        streams.forEach(port -> agent.listen(port, BACKLOG));
        datagrams.forEach(port -> agent.resolver().listen(port, BACKLOG));
    }

    /// The other side sent `mad`, to the captured side: its identifier is exchanged for ours.
    void receive(Gid source, byte[] mad) {
        ByteBuffer translated = ByteBuffer.wrap(mad.clone());
        Connection connection = connections.get(translated.getInt(REMOTE_ID));
        if (connection != null && !isRequest(mad)) {
            translated.putInt(REMOTE_ID, connection.localId());
        }
        agent.receive(source, translated.array(), 0);
    }

    private static boolean isRequest(byte[] mad) {
        return CmDatagram.parse(mad).message() instanceof ConnectionRequest;
    }

    /// What we send where the captured side sent `captured` to `destination`, with the captured
    /// identifiers in place of those of our choice.
    byte[] answer(Gid destination, byte[] captured) {
        CmDatagram datagram = CmDatagram.parse(captured);
        act(destination, datagram.message());
        byte[] mad = sent.remove();
        copy(captured, mad, MESSAGE, Integer.BYTES);
        long transaction = ByteBuffer.wrap(mad).getLong(TRANSACTION_ID);
        switch (datagram.message()) {
            case ConnectionRequest _ -> {
                transactions.put(transaction, datagram.transactionId());
                copy(captured, mad, REQ_STARTING_PSN, 3);
                copy(captured, mad, REQ_SOURCE_PORT, Short.BYTES);
                copy(captured, mad, REQ_FLOW_LABEL, 3);
                copyFlowControl(captured, mad, REQ_FLOW_CONTROL);
            }
            case ConnectionReply _ -> {
                copy(captured, mad, REP_STARTING_PSN, 3);
                copyFlowControl(captured, mad, REP_FLOW_CONTROL);
            }
            case DisconnectRequest _ -> transactions.put(transaction, datagram.transactionId());
            case SidrRequest _ -> {
                transactions.put(transaction, datagram.transactionId());
                copy(captured, mad, SIDR_SOURCE_PORT, Short.BYTES);
            }
            default -> {}
        }
        // Of our choice, or an echo of what the other side chose.
        long normalized = transactions.getOrDefault(transaction, transaction);
        ByteBuffer.wrap(mad).putLong(TRANSACTION_ID, normalized);
        return mad;
    }

    /// Credits of receives: soft-RoCE offers what the application asks for, we never do (roce.md
    /// 3.4).
    private static void copyFlowControl(byte[] from, byte[] to, int at) {
        to[at] |= (byte) (from[at] & 1);
    }

    /// What was sent without counterpart.
    List<CmDatagram> unexpected() {
        return sent.stream().map(CmDatagram::parse).toList();
    }

    /// What the captured application did.
    private void act(Gid destination, CmMessage message) {
        switch (message) {
            case ConnectionRequest request ->
                    connections.put(
                            request.localId(),
                            agent.connect(
                                    destination,
                                    request.service().id().port(),
                                    request.local().qpn(),
                                    PathMtu.of(request.paths().mtu()).orElseThrow(),
                                    parameters(request),
                                    0));
            case ConnectionReply reply -> {
                Connection connection = requested.remove();
                connections.put(reply.localId(), connection);
                agent.accept(connection, reply.local().qpn(), parameters(reply), 0);
            }
            case Rejection rejection -> {
                if (rejection.reason() == RejectReason.CONSUMER_REJECT.code()) {
                    agent.reject(requested.remove(), rejection.privateData().toByteArray());
                }
            }
            case DisconnectRequest request ->
                    agent.disconnect(connections.get(request.localId()), 0);
            case SidrRequest request ->
                    agent.resolver()
                            .resolve(
                                    destination,
                                    request.serviceId().port(),
                                    consumerData(request.privateData()),
                                    0);
            case SidrReply reply ->
                    agent.resolver()
                            .accept(
                                    resolutions.remove(),
                                    reply.qpn(),
                                    reply.queueKey(),
                                    reply.privateData().toByteArray(),
                                    0);
            default -> {}
        }
    }

    private static ConnectionParameters parameters(ConnectionRequest request) {
        return new ConnectionParameters(
                request.flow().responderResources(),
                request.flow().initiatorDepth(),
                request.paths().retryCount(),
                request.flow().rnrRetryCount(),
                consumerData(request.privateData()));
    }

    private static ConnectionParameters parameters(ConnectionReply reply) {
        return new ConnectionParameters(
                reply.flow().responderResources(),
                reply.flow().initiatorDepth(),
                7,
                reply.flow().rnrRetryCount(),
                reply.privateData().toByteArray());
    }

    /// Behind the header with the addresses.
    private static byte[] consumerData(Octets privateData) {
        return privateData.from(IpAddressHeader.LENGTH).toByteArray();
    }

    private static void copy(byte[] from, byte[] to, int at, int length) {
        System.arraycopy(from, at, to, at, length);
    }

    @Override
    public void send(Gid destination, byte[] mad) {
        sent.add(mad.clone());
    }

    @Override
    public boolean connectQueuePair(Connection connection, NegotiatedAttributes attributes) {
        return true;
    }

    @Override
    public void handshakeTook(Connection connection, long nanos) {}

    @Override
    public void failQueuePair(Connection connection) {}

    @Override
    public void event(CmEvent event) {
        if (event.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
            requested.add(event.connection());
        }
    }

    @Override
    public void event(ResolutionEvent event) {
        if (!event.resolution().isActive()) {
            resolutions.add(event.resolution());
        }
    }
}
