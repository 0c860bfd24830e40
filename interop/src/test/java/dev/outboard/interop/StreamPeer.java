package dev.outboard.interop;

import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.ProtectionDomain;
import java.net.InetSocketAddress;
import java.time.Duration;

/// A program that does what rstream with `-T v` does: data there, data back, every byte compared.
/// The bytes of a direction count up from its first to its last one.
///
/// Arguments: `serve|call`, our address, the peer's (`-` for a server), the port, rounds, transfers
/// per round and direction, bytes per transfer.
final class StreamPeer {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int GREETING_BYTES = 16;

    private final ConnectionChannel channel;
    private final Device device;
    private final ProtectionDomain domain;
    private byte nextSent;
    private byte nextReceived;

    private StreamPeer(Device device) {
        this.device = device;
        channel = device.createConnectionChannel();
        domain = device.allocateProtectionDomain();
    }

    public static void main(String[] words) {
        boolean calls = words[0].equals("call");
        int port = Integer.parseInt(words[3]);
        String address = words[1].contains(":") ? "[" + words[1] + "]" : words[1];
        try (Device device = Fabric.open("roce://" + address)) {
            StreamPeer peer = new StreamPeer(device);
            Rsocket socket =
                    calls ? peer.call(new InetSocketAddress(words[2], port)) : peer.serve(port);
            peer.exchange(socket, calls, 1, GREETING_BYTES);
            for (int round = 0; round < Integer.parseInt(words[4]); round++) {
                peer.exchange(
                        socket, calls, Integer.parseInt(words[5]), Integer.parseInt(words[6]));
            }
            socket.shutdown();
        }
    }

    private Rsocket call(InetSocketAddress remote) {
        ConnectionId id = channel.createId();
        id.resolveAddress(remote, LIMIT);
        expect(ConnectionEvent.Type.ADDRESS_RESOLVED);
        id.resolveRoute(LIMIT);
        expect(ConnectionEvent.Type.ROUTE_RESOLVED);
        Rsocket socket = new Rsocket(device, domain, id, LIMIT);
        id.connect(socket.parameters());
        socket.agree(expect(ConnectionEvent.Type.ESTABLISHED).parameters().privateData());
        return socket;
    }

    private Rsocket serve(int port) {
        channel.createId().listen(port, 1);
        System.out.println("ready");
        ConnectionEvent request = expect(ConnectionEvent.Type.CONNECT_REQUEST);
        Rsocket socket = new Rsocket(device, domain, request.id(), LIMIT);
        socket.agree(request.parameters().privateData());
        request.id().accept(socket.parameters());
        expect(ConnectionEvent.Type.ESTABLISHED);
        return socket;
    }

    private ConnectionEvent expect(ConnectionEvent.Type type) {
        ConnectionEvent event = channel.next(LIMIT).orElseThrow();
        if (event.type() != type) {
            throw new IllegalStateException("not " + type + ": " + event);
        }
        return event;
    }

    private void exchange(Rsocket socket, boolean first, int transfers, int bytes) {
        for (int direction = 0; direction < 2; direction++) {
            for (int i = 0; i < transfers; i++) {
                if (first == (direction == 0)) {
                    socket.send(nextBytes(bytes));
                } else {
                    byte[] received = new byte[bytes];
                    socket.receive(received);
                    compare(received);
                }
            }
        }
    }

    private byte[] nextBytes(int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = nextSent++;
        }
        return bytes;
    }

    private void compare(byte[] received) {
        for (int i = 0; i < received.length; i++) {
            if (received[i] != nextReceived++) {
                throw new IllegalStateException("byte " + i + " of a transfer is wrong");
            }
        }
    }
}
