package dev.outboard.interop;

import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.net.InetSocketAddress;
import java.time.Duration;

/// The steps of a connection in a program of these tests, one after the other; each fails when
/// another event comes. One thread; the device closes what it makes.
final class ConnectionSteps {
    static final Duration LIMIT = Duration.ofSeconds(60);

    private final ConnectionChannel channel;

    ConnectionSteps(Device device) {
        channel = device.createConnectionChannel();
    }

    /// The device at `address`.
    static Device open(String address) {
        return Fabric.open("roce://" + (address.contains(":") ? "[" + address + "]" : address));
    }

    /// An id that knows the way to `remote`.
    ConnectionId resolve(InetSocketAddress remote) {
        ConnectionId id = channel.createId();
        id.resolveAddress(remote, LIMIT);
        expect(ConnectionEvent.Type.ADDRESS_RESOLVED);
        id.resolveRoute(LIMIT);
        expect(ConnectionEvent.Type.ROUTE_RESOLVED);
        return id;
    }

    /// Listens, says so, and waits for the one who calls.
    ConnectionEvent awaitRequest(int port) {
        channel.createId().listen(port, 1);
        System.out.println("ready");
        return expect(ConnectionEvent.Type.CONNECT_REQUEST);
    }

    /// The next event, which is of `type`.
    ConnectionEvent expect(ConnectionEvent.Type type) {
        ConnectionEvent event = channel.next(LIMIT).orElseThrow();
        if (event.type() != type) {
            throw new IllegalStateException("not " + type + ": " + event);
        }
        return event;
    }
}
