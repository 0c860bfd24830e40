package dev.outboard.fabric.roce;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.roce.cm.CmAgent;
import dev.outboard.fabric.roce.cm.CmEvent;
import dev.outboard.fabric.roce.cm.Connection;
import dev.outboard.fabric.roce.cm.Listener;
import dev.outboard.fabric.roce.io.Route;
import dev.outboard.fabric.roce.wire.Gid;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One end of a connection: hands the application's calls to the connection manager inside the
/// engine, and its events to the channel.
final class RoceConnectionId implements ConnectionId {
    private static final int ENETUNREACH = 101;

    private final RoceDevice device;
    private final RoceConnectionChannel channel;
    private volatile @Nullable RoceQueuePair queuePair;
    private volatile @Nullable Connection connection;
    private volatile @Nullable Listener listener;
    private volatile @Nullable InetSocketAddress remote;
    private volatile boolean closed;

    RoceConnectionId(RoceDevice device, RoceConnectionChannel channel) {
        this.device = device;
        this.channel = channel;
    }

    @Nullable RoceQueuePair roceQueuePair() {
        return queuePair;
    }

    /// The id for a connection request that this listener received. While driving.
    RoceConnectionId requested(Connection request) {
        RoceConnectionId id = new RoceConnectionId(device, channel);
        id.connection = request;
        id.remote =
                new InetSocketAddress(request.remoteGid().toInetAddress(), request.remotePort());
        channel.joined(id);
        return id;
    }

    /// While driving.
    void deliver(CmEvent event) {
        Optional<ConnectionId> listeningId =
                event.type() == ConnectionEvent.Type.CONNECT_REQUEST
                        ? event.connection().listener().map(device.services()::idOf)
                        : Optional.empty();
        channel.add(
                new ConnectionEvent(
                        event.type(),
                        this,
                        listeningId,
                        event.status(),
                        event.explanation(),
                        event.parameters()));
    }

    @Override
    public void resolveAddress(InetSocketAddress newRemote, Duration timeout) {
        requireOpen();
        String problem =
                newRemote.isUnresolved()
                        ? "unknown host " + newRemote.getHostString()
                        : Route.problem(device.address(), newRemote.getAddress());
        if (problem.isEmpty()) {
            remote = newRemote;
            raise(ConnectionEvent.Type.ADDRESS_RESOLVED, 0, "");
        } else {
            raise(ConnectionEvent.Type.ADDRESS_ERROR, -ENETUNREACH, problem);
        }
    }

    @Override
    public void resolveRoute(Duration timeout) {
        requireOpen();
        requireRemote();
        raise(ConnectionEvent.Type.ROUTE_RESOLVED, 0, "");
    }

    @Override
    public void listen(int port, int backlog) {
        requireOpen();
        listener =
                device.engine()
                        .exclusively(() -> {
                            Listener created = agent().listen(port, backlog);
                            device.services().register(created, this);
                            return created;
                        });
    }

    @Override
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        requireOpen();
        if (queuePair != null) {
            throw new FabricException(
                    Reason.INVALID_STATE, "the connection has a queue pair already");
        }
        RoceQueuePair created = device.createQueuePair(domain, attributes);
        created.modify(QueuePairChange.to(QueuePairState.INIT).noAccess());
        queuePair = created;
        return created;
    }

    @Override
    public Optional<QueuePair> queuePair() {
        return Optional.ofNullable(queuePair);
    }

    @Override
    public void connect(ConnectionParameters parameters) {
        requireOpen();
        InetSocketAddress to = requireRemote();
        int number = requireQueuePair().number();
        connection =
                commanded(() -> {
                    Connection started =
                            agent().connect(
                                            Gid.of(to.getAddress()),
                                            to.getPort(),
                                            number,
                                            parameters,
                                            System.nanoTime());
                    device.services().register(started, this);
                    return started;
                });
    }

    @Override
    public void accept(ConnectionParameters parameters) {
        requireOpen();
        Connection request = requireConnection();
        int number = requireQueuePair().number();
        boolean accepted =
                commanded(() -> agent().accept(request, number, parameters, System.nanoTime()));
        if (!accepted) {
            throw new FabricException(
                    Reason.INVALID_STATE, "the peer has withdrawn its request: " + request);
        }
    }

    @Override
    public void reject(byte[] privateData) {
        requireOpen();
        Connection request = requireConnection();
        commanded(() -> {
            agent().reject(request, privateData);
            return true;
        });
    }

    @Override
    public void disconnect() {
        Connection ending = connection;
        if (ending != null && !closed) {
            commanded(() -> {
                agent().disconnect(ending, System.nanoTime());
                return true;
            });
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        Connection connected = connection;
        Listener listening = listener;
        int port =
                connected != null
                        ? connected.localPort()
                        : listening != null ? listening.port() : 0;
        return new InetSocketAddress(device.address(), port);
    }

    @Override
    public Optional<InetSocketAddress> remoteAddress() {
        return Optional.ofNullable(remote);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        device.engine().exclusively(this::release);
        RoceQueuePair owned = queuePair;
        if (owned != null) {
            owned.close();
        }
        channel.left(this);
    }

    private void release() {
        Listener listening = listener;
        if (listening != null) {
            agent().close(listening);
            device.services().forget(listening);
        }
        Connection ending = connection;
        if (ending != null) {
            agent().destroy(ending, System.nanoTime());
            device.services().forget(ending);
        }
    }

    private CmAgent agent() {
        return device.services().agent();
    }

    /// Runs a command of the connection manager; what it refuses is an invalid argument or state.
    private <T> T commanded(Supplier<T> command) {
        try {
            return device.engine().exclusively(command);
        } catch (IllegalArgumentException e) {
            throw new FabricException(Reason.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        } catch (IllegalStateException e) {
            throw new FabricException(Reason.INVALID_STATE, String.valueOf(e.getMessage()), e);
        }
    }

    private void raise(ConnectionEvent.Type type, int status, String explanation) {
        channel.add(
                new ConnectionEvent(
                        type,
                        this,
                        Optional.empty(),
                        status,
                        explanation,
                        ConnectionParameters.defaults()));
    }

    private void requireOpen() {
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED, "connection id of " + device.name() + " is closed");
        }
    }

    private InetSocketAddress requireRemote() {
        InetSocketAddress known = remote;
        if (known == null) {
            throw new FabricException(Reason.INVALID_STATE, "no address is resolved yet");
        }
        return known;
    }

    private RoceQueuePair requireQueuePair() {
        RoceQueuePair created = queuePair;
        if (created == null) {
            throw new FabricException(Reason.INVALID_STATE, "the connection has no queue pair yet");
        }
        return created;
    }

    private Connection requireConnection() {
        Connection known = connection;
        if (known == null) {
            throw new FabricException(
                    Reason.INVALID_STATE, "no connection was requested on this id");
        }
        return known;
    }
}
