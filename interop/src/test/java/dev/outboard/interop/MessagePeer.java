package dev.outboard.interop;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A program that connects, exchanges messages over every connection and disconnects: what
/// ucmatose, rdma_client and rdma_server do.
///
/// Arguments: `serve|call`, our address, the peer's (`-` for a server), the port, who sends first
/// (`server` or `client`), connections, messages per connection and direction, bytes per message.
final class MessagePeer {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final ConnectionParameters PARAMETERS =
            new ConnectionParameters(1, 1, 7, 7, new byte[0]);

    private record Connection(ConnectionId id, QueuePair pair, CompletionQueue completions) {}

    private final Device device;
    private final ConnectionChannel channel;
    private final ProtectionDomain domain;
    private final MemoryRegion region;
    private final int messages;
    private final int bytes;
    private final List<Connection> connections = new ArrayList<>();

    private MessagePeer(Device device, int messages, int bytes) {
        this.device = device;
        this.messages = messages;
        this.bytes = bytes;
        channel = device.createConnectionChannel();
        domain = device.allocateProtectionDomain();
        region = domain.register(Arena.global().allocate(bytes), Access.LOCAL_WRITE);
    }

    public static void main(String[] words) {
        boolean serves = words[0].equals("serve");
        int port = Integer.parseInt(words[3]);
        boolean serverFirst = words[4].equals("server");
        int count = Integer.parseInt(words[5]);
        String address = words[1].contains(":") ? "[" + words[1] + "]" : words[1];
        try (Device device = Fabric.open("roce://" + address)) {
            MessagePeer peer =
                    new MessagePeer(device, Integer.parseInt(words[6]), Integer.parseInt(words[7]));
            if (serves) {
                peer.serve(port, count);
            } else {
                peer.call(new InetSocketAddress(words[2], port), count);
            }
            peer.exchange(serves == serverFirst);
            if (serves == serverFirst || !serverFirst) {
                peer.connections.forEach(connection -> connection.id().disconnect());
            }
            peer.connections.forEach(connection -> peer.expect(ConnectionEvent.Type.DISCONNECTED));
        }
    }

    private void serve(int port, int count) {
        channel.createId().listen(port, count);
        System.out.println("listening");
        for (int established = 0; established < count; ) {
            ConnectionEvent event = channel.next(LIMIT).orElseThrow();
            if (event.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
                prepare(event.id());
                event.id().accept(PARAMETERS);
            } else if (event.type() == ConnectionEvent.Type.ESTABLISHED) {
                established++;
            } else {
                throw new IllegalStateException(event.toString());
            }
        }
    }

    private void call(InetSocketAddress peer, int count) {
        for (int i = 0; i < count; i++) {
            ConnectionId id = channel.createId();
            id.resolveAddress(peer, LIMIT);
            expect(ConnectionEvent.Type.ADDRESS_RESOLVED);
            id.resolveRoute(LIMIT);
            expect(ConnectionEvent.Type.ROUTE_RESOLVED);
            prepare(id);
            id.connect(PARAMETERS);
            expect(ConnectionEvent.Type.ESTABLISHED);
        }
    }

    private void prepare(ConnectionId id) {
        CompletionQueue completions = device.createCompletionQueue(2 * messages);
        QueuePair pair =
                id.createQueuePair(domain, QueuePairAttributes.of(completions, messages, messages));
        for (int i = 0; i < messages; i++) {
            pair.post(new ReceiveRequest().id(i).buffer(region, 0, bytes));
        }
        connections.add(new Connection(id, pair, completions));
    }

    private void exchange(boolean first) {
        if (!first) {
            connections.forEach(this::take);
        }
        connections.forEach(this::send);
        connections.forEach(this::take);
        if (first) {
            connections.forEach(this::take);
        }
    }

    private void send(Connection connection) {
        for (int i = 0; i < messages; i++) {
            connection.pair().post(new SendRequest().id(i).send().payload(region, 0, bytes));
        }
    }

    /// Takes as many completions as there are messages in one direction.
    private void take(Connection connection) {
        Completion completion = new Completion();
        for (int i = 0; i < messages; i++) {
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (!connection.completions().poll(completion)) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("no completion");
                }
                Thread.onSpinWait();
            }
            if (completion.status() != CompletionStatus.SUCCESS) {
                throw new IllegalStateException(completion.toString());
            }
        }
    }

    private void expect(ConnectionEvent.Type type) {
        ConnectionEvent event = channel.next(LIMIT).orElseThrow();
        if (event.type() != type) {
            throw new IllegalStateException("not " + type + ": " + event);
        }
    }
}
