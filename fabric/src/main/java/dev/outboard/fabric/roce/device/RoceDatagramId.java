package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.DatagramDestination;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.roce.cm.Listener;
import dev.outboard.fabric.roce.cm.Resolution;
import dev.outboard.fabric.roce.cm.ResolutionEvent;
import dev.outboard.fabric.roce.cm.ServiceResolver;
import dev.outboard.fabric.roce.nic.DatagramEnd;
import dev.outboard.fabric.roce.nic.GeneralServices;
import dev.outboard.fabric.roce.ud.UdQueuePair;
import dev.outboard.fabric.roce.wire.Gid;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One who asks for a datagram service, or its listener, or the one side of it that answers one
/// request.
final class RoceDatagramId extends RoceConnectionId implements DatagramEnd {
    /// The listener that it was requested from, if it was.
    private final @Nullable RoceDatagramId listener;

    private volatile @Nullable Resolution resolution;

    RoceDatagramId(
            RoceDevice device, RoceConnectionChannel channel, @Nullable RoceDatagramId listener) {
        super(device, channel, QueuePairType.UNRELIABLE_DATAGRAM);
        this.listener = listener;
    }

    @Override
    public RoceDatagramId requested(Resolution request) {
        RoceDatagramId id = new RoceDatagramId(device, channel, this);
        id.resolution = request;
        id.requestedBy(request.remoteGid(), request.remotePort());
        return id;
    }

    @Override
    public void deliver(ResolutionEvent event) {
        channel.add(
                new ConnectionEvent(
                        event.type(),
                        this,
                        Optional.ofNullable(listener),
                        event.status(),
                        event.explanation(),
                        new ConnectionParameters(0, 0, 0, 0, event.privateData().toByteArray()),
                        destination(event)));
    }

    private static Optional<DatagramDestination> destination(ResolutionEvent event) {
        if (event.type() != ConnectionEvent.Type.ESTABLISHED) {
            return Optional.empty();
        }
        AddressVector vector = AddressVector.to(event.resolution().remoteGid().toInetAddress());
        return Optional.of(new DatagramDestination(vector, event.qpn(), event.queueKey()));
    }

    @Override
    Listener open(int port, int backlog) {
        Listener created = resolver().listen(port, backlog);
        device.services().register(created, this);
        return created;
    }

    /// There is no connection to wait for: it is ready at once, as librdmacm has it.
    @Override
    void prepare(RoceQueuePair created) {
        created.modify(
                QueuePairChange.to(QueuePairState.INIT)
                        .queueKey(GeneralServices.DATAGRAM_QUEUE_KEY));
        created.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE));
        created.modify(
                QueuePairChange.to(QueuePairState.READY_TO_SEND).sendPsn(device.randomPsn()));
    }

    /// There is nothing to agree on.
    @Override
    public void prefer(QueuePairChange own) {}

    @Override
    public void connect(ConnectionParameters parameters) {
        requireOpen();
        InetSocketAddress to = requireRemote();
        resolution =
                commanded(() -> {
                    release();
                    Resolution started =
                            resolver()
                                    .resolve(
                                            Gid.of(to.getAddress()),
                                            to.getPort(),
                                            parameters.privateData(),
                                            device.engine().nowNanos());
                    limitNanos().ifPresent(limit -> resolver().limit(started, limit));
                    device.services().register(started, this);
                    return started;
                });
    }

    @Override
    public void accept(ConnectionParameters parameters) {
        requireOpen();
        Resolution request = requireRequest(resolution);
        RoceQueuePair serving = requireQueuePair();
        commanded(() -> {
            int queueKey =
                    serving.machine() instanceof UdQueuePair machine
                            ? machine.queueKey()
                            : GeneralServices.DATAGRAM_QUEUE_KEY;
            resolver()
                    .accept(
                            request,
                            serving.number(),
                            queueKey,
                            parameters.privateData(),
                            device.engine().nowNanos());
        });
    }

    @Override
    public void reject(byte[] privateData) {
        requireOpen();
        Resolution request = requireRequest(resolution);
        commanded(() -> resolver().reject(request, privateData, device.engine().nowNanos()));
    }

    /// There is nothing to disconnect.
    @Override
    public void disconnect() {}

    @Override
    int activePort() {
        Resolution asked = resolution;
        return asked == null ? 0 : asked.localPort();
    }

    @Override
    void release(Listener listening) {
        resolver().close(listening);
    }

    @Override
    void release() {
        Resolution ending = resolution;
        if (ending != null) {
            resolver().destroy(ending, device.engine().nowNanos());
            device.services().forget(ending);
        }
    }

    private ServiceResolver resolver() {
        return agent().resolver();
    }
}
