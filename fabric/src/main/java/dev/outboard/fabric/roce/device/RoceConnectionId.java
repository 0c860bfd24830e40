package dev.outboard.fabric.roce.device;

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
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.roce.cm.CmAgent;
import dev.outboard.fabric.roce.cm.CmEvent;
import dev.outboard.fabric.roce.cm.Listener;
import dev.outboard.fabric.roce.nic.NicQueuePair;
import dev.outboard.fabric.roce.wire.Gid;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One end of a connection or of a datagram service: hands the application's calls to the
/// connection manager inside the engine, and its events to the channel. What depends on the port
/// space is in the subclasses.
abstract sealed class RoceConnectionId implements ConnectionId
        permits RoceConnectedId, RoceDatagramId {
    private static final int ENETUNREACH = 101;

    /// More would not fit a clock of nanoseconds, if it is much more.
    private static final Duration LONGEST_ATTEMPT = Duration.ofDays(365);

    final RoceDevice device;
    final RoceConnectionChannel channel;
    private final QueuePairType type;
    private volatile @Nullable RoceQueuePair queuePair;

    /// Whether it is the caller's.
    private volatile boolean isLent;

    private volatile @Nullable Listener listener;
    private volatile @Nullable InetSocketAddress remote;
    private volatile boolean closed;

    /// When the attempt to connect ends at the latest; null if nobody said so.
    private volatile @Nullable Long limitNanos;

    RoceConnectionId(RoceDevice device, RoceConnectionChannel channel, QueuePairType type) {
        this.device = device;
        this.channel = channel;
        this.type = type;
    }

    /// Opens and registers the listener. While driving.
    abstract Listener open(int port, int backlog);

    /// Takes a new queue pair from RESET to where the application gets it.
    abstract void prepare(RoceQueuePair created);

    /// The local port of one who asks or is asked; 0 if nobody does.
    abstract int activePort();

    /// Closes the listener. While driving.
    abstract void release(Listener listening);

    /// Lets go of the peer. While driving.
    abstract void release();

    /// The queue pair in the machine; null without one.
    public @Nullable NicQueuePair connecting() {
        RoceQueuePair created = queuePair;
        return created == null ? null : created.inMachine();
    }

    /// This id was made for a request of that peer. While driving.
    void requestedBy(Gid remoteGid, int remotePort) {
        remote = new InetSocketAddress(remoteGid.toInetAddress(), remotePort);
        channel.joined(this);
    }

    @Override
    public void limitAttempt(Duration limit) {
        requireOpen();
        if (!limit.isPositive()) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "the limit of an attempt to connect is "
                            + limit
                            + "; valid: more than nothing");
        }
        limitNanos =
                device.engine().nowNanos()
                        + (limit.compareTo(LONGEST_ATTEMPT) > 0 ? LONGEST_ATTEMPT : limit)
                                .toNanos();
    }

    /// When the attempt to connect ends at the latest, if the application said so.
    Optional<Long> limitNanos() {
        return Optional.ofNullable(limitNanos);
    }

    /// Whether the time is over; then an event of `type` says so.
    private boolean isTooLate(ConnectionEvent.Type type) {
        boolean isLate =
                limitNanos().filter(limit -> device.engine().nowNanos() - limit >= 0).isPresent();
        if (isLate) {
            raise(type, CmEvent.ETIMEDOUT, "the limit of this attempt to connect has passed");
        }
        return isLate;
    }

    @Override
    public void resolveAddress(InetSocketAddress newRemote, Duration timeout) {
        requireOpen();
        if (isTooLate(ConnectionEvent.Type.ADDRESS_ERROR)) {
            return;
        }
        String problem =
                newRemote.isUnresolved()
                        ? "unknown host " + newRemote.getHostString()
                        : device.site().problemTowards(newRemote.getAddress());
        if (problem.isEmpty()) {
            remote = newRemote;
            raise(ConnectionEvent.Type.ADDRESS_RESOLVED, 0, "");
        } else {
            raise(ConnectionEvent.Type.ADDRESS_ERROR, ENETUNREACH, problem);
        }
    }

    @Override
    public void resolveRoute(Duration timeout) {
        requireOpen();
        requireRemote();
        if (!isTooLate(ConnectionEvent.Type.ROUTE_ERROR)) {
            raise(ConnectionEvent.Type.ROUTE_RESOLVED, 0, "");
        }
    }

    @Override
    public void listen(int port, int backlog) {
        requireOpen();
        Listener listening = listener;
        if (listening != null) {
            throw new FabricException(
                    Reason.INVALID_STATE,
                    "connection id of %s listens on port %d already"
                            .formatted(device.name(), listening.port()));
        }
        listener = commanded(() -> open(port, backlog));
    }

    @Override
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        requireNoQueuePair();
        requireType(attributes.type());
        RoceQueuePair created = device.createQueuePair(domain, attributes);
        prepare(created);
        queuePair = created;
        return created;
    }

    @Override
    public void use(QueuePair made) {
        requireNoQueuePair();
        requireType(made.type());
        boolean isUsable =
                type == QueuePairType.RELIABLE_CONNECTED
                        && made instanceof RoceQueuePair own
                        && own.isOf(device)
                        && own.state() == QueuePairState.RESET;
        if (!isUsable) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "queue pair %d in state %s cannot be connected by an id of %s; valid: one of that device, reliable connected, in state RESET"
                            .formatted(made.number(), made.state(), device.name()));
        }
        RoceQueuePair lent = (RoceQueuePair) made;
        prepare(lent);
        isLent = true;
        queuePair = lent;
    }

    private void requireNoQueuePair() {
        requireOpen();
        if (queuePair != null) {
            throw new FabricException(
                    Reason.INVALID_STATE, "the connection has a queue pair already");
        }
    }

    private void requireType(QueuePairType given) {
        if (given != type) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "the queue pair is " + given + "; this id needs one that is " + type);
        }
    }

    @Override
    public Optional<QueuePair> queuePair() {
        return Optional.ofNullable(queuePair);
    }

    @Override
    public InetSocketAddress localAddress() {
        Listener listening = listener;
        int port = listening == null ? activePort() : listening.port();
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
        device.engine().exclusively(this::releaseAll);
        RoceQueuePair used = queuePair;
        if (used != null) {
            giveBack(used);
        }
        channel.left(this);
    }

    private void giveBack(RoceQueuePair used) {
        if (!isLent) {
            used.close();
        } else if (used.isOpen()) {
            used.modify(QueuePairChange.to(QueuePairState.ERROR));
        }
    }

    private void releaseAll() {
        Listener listening = listener;
        if (listening != null) {
            release(listening);
            device.services().forget(listening);
        }
        release();
    }

    CmAgent agent() {
        return device.services().agent();
    }

    /// Runs a command of the connection manager; what it refuses is an invalid argument or state.
    <T> T commanded(Supplier<T> command) {
        try {
            return device.engine().exclusively(command);
        } catch (IllegalArgumentException e) {
            throw new FabricException(Reason.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        } catch (IllegalStateException e) {
            throw new FabricException(Reason.INVALID_STATE, String.valueOf(e.getMessage()), e);
        }
    }

    /// Like [#commanded(Supplier)], without a result.
    void commanded(Runnable command) {
        commanded(() -> {
            command.run();
            return true;
        });
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

    void requireOpen() {
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED, "connection id of " + device.name() + " is closed");
        }
    }

    InetSocketAddress requireRemote() {
        InetSocketAddress known = remote;
        if (known == null) {
            throw new FabricException(Reason.INVALID_STATE, "no address is resolved yet");
        }
        return known;
    }

    RoceQueuePair requireQueuePair() {
        RoceQueuePair created = queuePair;
        if (created == null) {
            throw new FabricException(Reason.INVALID_STATE, "the connection has no queue pair yet");
        }
        return created;
    }

    boolean isClosed() {
        return closed;
    }

    static <T> T requireRequest(@Nullable T request) {
        if (request == null) {
            throw new FabricException(
                    Reason.INVALID_STATE, "no connection was requested on this id");
        }
        return request;
    }
}
