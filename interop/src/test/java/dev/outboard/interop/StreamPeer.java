package dev.outboard.interop;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.ProtectionDomain;
import java.net.InetSocketAddress;

/// A program that does what rstream with `-T v` does: data there, data back, every byte compared.
/// The bytes of a direction count up from its first to its last one.
///
/// Arguments: `serve|call`, our address, the peer's (`-` for a server), the port, rounds, transfers
/// per round and direction, bytes per transfer.
final class StreamPeer {
    private static final int GREETING_BYTES = 16;

    private final ConnectionSteps steps;
    private final Device device;
    private final ProtectionDomain domain;
    private byte nextSent;
    private byte nextReceived;

    private StreamPeer(Device device) {
        this.device = device;
        steps = new ConnectionSteps(device);
        domain = device.allocateProtectionDomain();
    }

    public static void main(String[] words) {
        boolean calls = words[0].equals("call");
        int port = Integer.parseInt(words[3]);
        try (Device device = ConnectionSteps.open(words[1])) {
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
        ConnectionId id = steps.resolve(remote);
        Rsocket socket = new Rsocket(device, domain, id, ConnectionSteps.LIMIT);
        id.connect(socket.parameters());
        socket.agree(steps.expect(ConnectionEvent.Type.ESTABLISHED).parameters().privateData());
        return socket;
    }

    private Rsocket serve(int port) {
        ConnectionEvent request = steps.awaitRequest(port);
        Rsocket socket = new Rsocket(device, domain, request.id(), ConnectionSteps.LIMIT);
        socket.agree(request.parameters().privateData());
        request.id().accept(socket.parameters());
        steps.expect(ConnectionEvent.Type.ESTABLISHED);
        return socket;
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
