package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// Connections by address, over the connection manager of the fabric. A thread of its own waits for
/// events and hands them to the context, which deals with them when it progresses.
final class ConnectionService implements AutoCloseable {
    /// Connection requests at one port that nobody has looked at; the rest is dropped, and repeated
    /// by the peers.
    private static final int BACKLOG = 128;

    /// The thread looks this often whether it is needed; closing interrupts it anyway.
    private static final Duration LOOK = Duration.ofSeconds(1);

    private static final int ETIMEDOUT = 110;

    private final RdmaControlPath control;
    private final ConnectionHandler handler;
    private final ConnectionChannel channel;
    private final Queue<ConnectionEvent> events = new ConcurrentLinkedQueue<>();
    private final IdentityHashMap<ConnectionId, RdmaConnection> connections =
            new IdentityHashMap<>();
    private final Map<Integer, ConnectionId> listeners = new HashMap<>();

    private final Thread courier;
    private volatile boolean closed;

    ConnectionService(RdmaControlPath control, ConnectionHandler handler) {
        this.control = control;
        this.handler = handler;
        channel = control.device().createConnectionChannel();
        // Virtual threads that spin in progress may hold all carriers.
        courier =
                Thread.ofPlatform()
                        .daemon()
                        .name("connection events of " + control.rdma())
                        .unstarted(this::carry);
    }

    void start() {
        courier.start();
    }

    private void carry() {
        while (!closed) {
            channel.next(LOOK)
                    .ifPresent(event -> {
                        events.add(event);
                        control.wake();
                    });
        }
    }

    // ---- what the application asks for ----------------------------------------------------------

    /// DRDMA-CM-11, DFLT-45: an attempt has an end.
    RdmaConnection connect(RdmaAddress address, @Nullable Object userData) {
        ConnectionId id = channel.createId();
        RdmaConnection connection;
        try {
            connection = create(id);
        } catch (DocaException e) {
            id.close();
            throw e;
        }
        connection.userData(userData);
        connection.life().becomeAwaited();
        id.limitAttempt(control.configuration().connectionRequestTimeout());
        id.resolveAddress(
                address.socketAddress(), control.configuration().connectionRequestTimeout());
        return connection;
    }

    private RdmaConnection create(ConnectionId id) {
        RdmaConnection connection = control.create(id);
        connections.put(id, connection);
        return connection;
    }

    /// The connection has left.
    void forget(RdmaConnection connection) {
        if (connection.cmId() != null) {
            connections.remove(connection.cmId());
        }
    }

    int listen(int port) {
        ConnectionId listener = channel.createId();
        try {
            listener.listen(port, BACKLOG);
        } catch (FabricException e) {
            listener.close();
            boolean inUse = e.reason() == Reason.SERVICE_IN_USE;
            throw new DocaException(
                    inUse ? DocaError.IN_USE : DocaError.INVALID_VALUE,
                    "%s cannot listen to port %d: %s"
                            .formatted(control.rdma(), port, e.getMessage()),
                    e);
        }
        int taken = listener.localAddress().getPort();
        listeners.put(taken, listener);
        return taken;
    }

    void stopListen(int port) {
        ConnectionId listener = listeners.remove(port);
        if (listener == null) {
            throw new DocaException(
                    DocaError.NOT_FOUND, control.rdma() + " does not listen to port " + port);
        }
        listener.close();
    }

    void stopListening() {
        listeners.values().forEach(ConnectionId::close);
        listeners.clear();
    }

    // ---- what happens ---------------------------------------------------------------------------

    boolean hasEvents() {
        return !events.isEmpty();
    }

    /// Deals with at most `max` events.
    ///
    /// @return with how many
    int poll(int max) {
        int done = 0;
        while (done < max) {
            ConnectionEvent event = events.poll();
            if (event == null) {
                break;
            }
            handle(event);
            done++;
        }
        return done;
    }

    private void handle(ConnectionEvent event) {
        if (event.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
            requested(event.id(), event.parameters().privateData());
            return;
        }
        RdmaConnection connection = connections.get(event.id());
        if (connection == null || connection.life().isEnded()) {
            return;
        }
        switch (event.type()) {
            case ADDRESS_RESOLVED ->
                    attempt(
                            connection,
                            () ->
                                    event.id()
                                            .resolveRoute(
                                                    control.configuration()
                                                            .connectionRequestTimeout()));
            case ROUTE_RESOLVED -> attempt(connection, connection::request);
            case ESTABLISHED -> established(connection, event.parameters().privateData());
            case ADDRESS_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED ->
                    failed(connection, event);
            case DISCONNECTED, DEVICE_REMOVAL -> control.end(connection);
            default -> {}
        }
    }

    private void requested(ConnectionId id, byte[] privateData) {
        String refusal = control.refusal();
        if (!refusal.isEmpty()) {
            refuse(id, refusal);
            return;
        }
        RdmaConnection connection;
        try {
            connection = create(id);
        } catch (DocaException noRoom) {
            refuse(id, control.refusalOfDevice());
            return;
        }
        connection.becomeRequested(privateData);
        control.tell(handler::requested, connection);
    }

    static void refuse(ConnectionId id, String why) {
        try {
            id.reject(why.getBytes(StandardCharsets.US_ASCII));
        } catch (FabricException peerHasWithdrawn) {
            // then nobody is left to be told
        } finally {
            id.close();
        }
    }

    private void established(RdmaConnection connection, byte[] reply) {
        if (connection.state() == RdmaState.INIT) {
            connection.becomeEstablished(reply);
            control.tell(handler::established, connection);
            control.settle(connection);
        }
    }

    /// A message may overtake the word that the peer is connected.
    void establishedByMessage(RdmaConnection connection) {
        established(connection, new byte[0]);
    }

    private void failed(RdmaConnection connection, ConnectionEvent event) {
        if (isSilent(event)) {
            failed(
                    connection,
                    DocaError.TIME_OUT,
                    "the peer did not answer within "
                            + control.configuration().connectionRequestTimeout());
        } else {
            failed(connection, DocaError.CONNECTION_ABORTED, explanation(event));
        }
    }

    private void failed(RdmaConnection connection, DocaError error, String explanation) {
        connection.life().becomeFailed(error, explanation);
        control.end(connection);
    }

    private void attempt(RdmaConnection connection, Runnable step) {
        try {
            step.run();
        } catch (FabricException e) {
            failed(connection, DocaError.CONNECTION_ABORTED, String.valueOf(e.getMessage()));
        }
    }

    /// What the peer said about it, if that is a text, or else what is known.
    static String explanation(ConnectionEvent event) {
        String said =
                new String(event.parameters().privateData(), StandardCharsets.US_ASCII).trim();
        boolean isText = !said.isEmpty() && said.chars().allMatch(c -> c >= ' ' && c <= '~');
        return isText ? "rejected by the peer: " + said : event.explanation();
    }

    private static boolean isSilent(ConnectionEvent event) {
        return event.type() == ConnectionEvent.Type.UNREACHABLE || event.status() == ETIMEDOUT;
    }

    /// Ends the thread and what is left.
    @Override
    public void close() {
        closed = true;
        courier.interrupt();
        try {
            courier.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        channel.close();
    }
}
