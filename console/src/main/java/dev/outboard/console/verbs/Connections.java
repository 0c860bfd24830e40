package dev.outboard.console.verbs;

import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.PortSpace;
import dev.outboard.terminal.CommandException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/// The connections of a tool that uses connection management: takes the steps in order, one after
/// the other, and fails with the peer's reason when another event comes than the step awaits. One
/// thread; the device closes it.
final class Connections {
    /// The reason of a rejection (InfiniBand Architecture, volume 1, 12.6.7.2).
    private static final int INVALID_SERVICE_ID = 8;

    /// perftest's clients try for a second; a busy machine may need more.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration RETRY_INTERVAL = Duration.ofMillis(100);

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

    /// Connects to `server` with a new id, and again as long as nobody listens there: a server may
    /// be about to start, and perftest's does not listen between its two connections.
    ///
    /// @param prepare makes the queue pair of an id, and posts receives
    /// @return what `prepare` has made for the id that is connected
    <T> T connect(
            InetSocketAddress server,
            ConnectionParameters parameters,
            Function<ConnectionId, T> prepare) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            ConnectionId id = resolve(server);
            T prepared = prepare.apply(id);
            id.connect(parameters);
            ConnectionEvent event = next();
            if (event.type() == ConnectionEvent.Type.ESTABLISHED) {
                return prepared;
            }
            id.close();
            if (!isNobodyListening(event) || System.nanoTime() - deadline > 0) {
                throw unexpected(event);
            }
            LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
        }
    }

    private static boolean isNobodyListening(ConnectionEvent event) {
        return event.type() == ConnectionEvent.Type.REJECTED
                && event.status() == INVALID_SERVICE_ID;
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
    /// @throws CommandException if it is another one, or nothing comes in time
    ConnectionEvent await(ConnectionEvent.Type type) {
        ConnectionEvent event = next();
        if (event.type() != type) {
            throw unexpected(event);
        }
        return event;
    }

    /// The next event that a step can await. TIMEWAIT_EXIT is none: it tells that the number of a
    /// connection that ended some time ago is free again, and comes between any events of the
    /// others.
    ///
    /// @throws CommandException if nothing comes in time
    ConnectionEvent next() {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            ConnectionEvent event =
                    channel.next(left)
                            .orElseThrow(() ->
                                    new CommandException(
                                            "no word from the peer within "
                                                    + limit.toMillis()
                                                    + " ms"));
            if (event.type() != ConnectionEvent.Type.TIMEWAIT_EXIT) {
                return event;
            }
        }
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
    static CommandException unexpected(ConnectionEvent event) {
        String peer = event.id().remoteAddress().map(Connections::text).orElse("");
        String why =
                event.explanation().isEmpty()
                        ? event.type().toString().toLowerCase(Locale.ROOT)
                        : event.explanation();
        return new CommandException("connection" + peer + ": " + why);
    }
}
