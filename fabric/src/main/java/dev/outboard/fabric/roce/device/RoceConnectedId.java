package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairChange.Attribute;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.roce.cm.CmEvent;
import dev.outboard.fabric.roce.cm.Connection;
import dev.outboard.fabric.roce.cm.Listener;
import dev.outboard.fabric.roce.nic.ConnectedEnd;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.PathMtu;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One end of a reliable connection, or its listener.
final class RoceConnectedId extends RoceConnectionId implements ConnectedEnd {
    /// The listener that it was requested from, if it was.
    private final @Nullable RoceConnectedId listener;

    private volatile @Nullable Connection connection;
    private volatile QueuePairChange preferred = QueuePairChange.to(QueuePairState.READY_TO_SEND);

    RoceConnectedId(
            RoceDevice device, RoceConnectionChannel channel, @Nullable RoceConnectedId listener) {
        super(device, channel, QueuePairType.RELIABLE_CONNECTED);
        this.listener = listener;
    }

    @Override
    public RoceConnectedId requested(Connection request) {
        RoceConnectedId id = new RoceConnectedId(device, channel, this);
        id.connection = request;
        id.requestedBy(request.remoteGid(), request.remotePort());
        return id;
    }

    @Override
    public void deliver(CmEvent event) {
        Optional<ConnectionId> asked =
                event.type() == ConnectionEvent.Type.CONNECT_REQUEST
                        ? Optional.ofNullable(listener)
                        : Optional.empty();
        channel.add(
                new ConnectionEvent(
                        event.type(),
                        this,
                        asked,
                        event.status(),
                        event.explanation(),
                        event.parameters()));
    }

    @Override
    Listener open(int port, int backlog) {
        Listener created = agent().listen(port, backlog);
        device.services().register(created, this);
        return created;
    }

    @Override
    void prepare(RoceQueuePair created) {
        created.modify(QueuePairChange.to(QueuePairState.INIT).noAccess());
    }

    @Override
    public void prefer(QueuePairChange own) {
        preferred = own;
    }

    @Override
    public QueuePairChange preferred() {
        return preferred;
    }

    @Override
    public void connect(ConnectionParameters parameters) {
        requireOpen();
        requireUnused();
        InetSocketAddress to = requireRemote();
        int number = requireQueuePair().number();
        connection =
                commanded(() -> {
                    Connection started =
                            agent().connect(
                                            Gid.of(to.getAddress()),
                                            to.getPort(),
                                            number,
                                            proposedMtu(),
                                            parameters,
                                            device.engine().nowNanos());
                    limitNanos().ifPresent(limit -> agent().limit(started, limit));
                    device.services().register(started, this);
                    return started;
                });
    }

    /// Its queue pair has failed with an attempt that did.
    private void requireUnused() {
        Connection earlier = connection;
        if (earlier != null) {
            throw new FabricException(
                    Reason.INVALID_STATE,
                    "connection id of %s has connected already, %s; create another"
                            .formatted(device.name(), earlier));
        }
    }

    private PathMtu proposedMtu() {
        int most = device.limits().pathMtuBytes();
        QueuePairChange own = preferred;
        int bytes =
                own.given().contains(Attribute.PATH_MTU)
                        ? Math.min(most, own.value(Attribute.PATH_MTU))
                        : most;
        return PathMtu.largestWithin(bytes).orElseThrow();
    }

    @Override
    public void accept(ConnectionParameters parameters) {
        requireOpen();
        Connection request = requireRequest(connection);
        int number = requireQueuePair().number();
        boolean accepted =
                commanded(() -> {
                    boolean done =
                            agent().accept(request, number, parameters, device.engine().nowNanos());
                    limitNanos().ifPresent(limit -> agent().limit(request, limit));
                    return done;
                });
        if (!accepted) {
            throw new FabricException(
                    Reason.INVALID_STATE, "the peer has withdrawn its request: " + request);
        }
    }

    @Override
    public void reject(byte[] privateData) {
        requireOpen();
        Connection request = requireRequest(connection);
        commanded(() -> agent().reject(request, privateData));
    }

    @Override
    public void disconnect() {
        Connection ending = connection;
        if (ending != null && !isClosed()) {
            commanded(() -> agent().disconnect(ending, device.engine().nowNanos()));
        }
    }

    @Override
    int activePort() {
        Connection connected = connection;
        return connected == null ? 0 : connected.localPort();
    }

    @Override
    void release(Listener listening) {
        agent().close(listening);
    }

    @Override
    void release() {
        Connection ending = connection;
        if (ending != null) {
            agent().destroy(ending, device.engine().nowNanos());
            device.services().forget(ending);
        }
    }
}
