package dev.outboard.console.verbs;

import dev.outboard.console.terminal.ConsoleException;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.PortSpace;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;

/// The connections of a tool that uses connection management: takes the steps in order, one after
/// the other, and fails with the peer's reason when another event comes than the step awaits. One
/// thread; the device closes it.
final class Connections {
    private final ConnectionChannel channel;
    private final PortSpace space;
    private final Duration limit;

    /// Reliable connections.
    ///
    /// @param limit how long to wait for each event
    Connections(Device device, Duration limit) {
        this(device, PortSpace.TCP, limit);
    }

    /// @param space what its ids are for
    /// @param limit how long to wait for each event
    Connections(Device device, PortSpace space, Duration limit) {
        this.space = space;
        channel = device.createConnectionChannel();
        this.limit = limit;
    }

    /// An id that knows the way to `server`.
    ConnectionId resolve(InetSocketAddress server) {
        ConnectionId id = channel.createId(space);
        id.resolveAddress(server, limit);
        await(ConnectionEvent.Type.ADDRESS_RESOLVED);
        id.resolveRoute(limit);
        await(ConnectionEvent.Type.ROUTE_RESOLVED);
        return id;
    }

    /// Connects `id`, whose queue pair exists.
    void connect(ConnectionId id, ConnectionParameters parameters) {
        id.connect(parameters);
        await(ConnectionEvent.Type.ESTABLISHED);
    }

    /// Listens.
    ///
    /// @return the port
    int listen(int port, int backlog) {
        ConnectionId listener = channel.createId(space);
        listener.listen(port, backlog);
        return listener.localAddress().getPort();
    }

    /// The next event, which is of `type`.
    ///
    /// @throws ConsoleException if it is another one, or nothing comes in time
    ConnectionEvent await(ConnectionEvent.Type type) {
        ConnectionEvent event = next();
        if (event.type() != type) {
            throw unexpected(event);
        }
        return event;
    }

    /// The next event.
    ///
    /// @throws ConsoleException if nothing comes in time
    ConnectionEvent next() {
        return channel.next(limit)
                .orElseThrow(() ->
                        new ConsoleException(
                                "no word from the peer within " + limit.toMillis() + " ms"));
    }

    /// Ends the connection of `id`, and waits until the peer has said so too.
    void disconnect(ConnectionId id) {
        id.disconnect();
        await(ConnectionEvent.Type.DISCONNECTED);
    }

    private static String text(InetSocketAddress address) {
        return " with %s port %d"
                .formatted(address.getAddress().getHostAddress(), address.getPort());
    }

    /// The failure that `event` is when something else was awaited.
    static ConsoleException unexpected(ConnectionEvent event) {
        String peer = event.id().remoteAddress().map(Connections::text).orElse("");
        String why =
                event.explanation().isEmpty()
                        ? event.type().toString().toLowerCase(Locale.ROOT)
                        : event.explanation();
        return new ConsoleException("connection" + peer + ": " + why);
    }
}
