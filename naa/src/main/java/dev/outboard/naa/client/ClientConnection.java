package dev.outboard.naa.client;

import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.NaaConnectException.Reason;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.link.Cleanup;
import dev.outboard.naa.link.Link;
import dev.outboard.naa.protocol.ClientMachine;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The connection of a client: identifier, queue pair and the events around them (`spec/naaice.md`,
/// section 2.1). Tries the server's addresses one after the other.
final class ClientConnection {
    private static final int RECEIVES = 4;

    private final NaaClientBuilder settings;
    private final ClientMachine machine;
    private final SharedDevice shared;
    private final ProtectionDomain domain;
    private final ConnectionChannel channel;
    private final int maxSends;
    private final Deque<InetSocketAddress> addresses;
    private volatile @Nullable ConnectionId id;
    private volatile @Nullable QueuePair pair;
    private @Nullable CompletionQueue queue;
    private @Nullable Link link;
    private volatile boolean established;
    private boolean ended;

    private long stepBegan;
    private volatile long addressNanos;
    private volatile long routeNanos;
    private volatile long handshakeNanos;

    /// @param maxSends WRITEs, messages and probes outstanding at most
    /// @param addresses where the server may be, at least one
    ClientConnection(
            NaaClientBuilder settings,
            ClientMachine machine,
            SharedDevice shared,
            int maxSends,
            List<InetAddress> addresses) {
        this.settings = settings;
        this.machine = machine;
        this.shared = shared;
        this.maxSends = maxSends;
        this.addresses = new ArrayDeque<>();
        addresses.forEach(a -> this.addresses.add(new InetSocketAddress(a, settings.port)));
        this.domain = shared.device().allocateProtectionDomain();
        try {
            this.channel = shared.device().createConnectionChannel();
        } catch (FabricException e) {
            domain.close();
            throw e;
        }
    }

    ProtectionDomain domain() {
        return domain;
    }

    /// The queues, once the address is resolved.
    ///
    /// @throws IllegalStateException before
    Link link() {
        if (link == null) {
            throw notPrepared();
        }
        return link;
    }

    /// The completions of this connection.
    ///
    /// @throws IllegalStateException before the address is resolved
    CompletionQueue queue() {
        if (queue == null) {
            throw notPrepared();
        }
        return queue;
    }

    private static IllegalStateException notPrepared() {
        return new IllegalStateException("not possible before the connection is prepared");
    }

    Optional<QueuePair> queuePair() {
        return Optional.ofNullable(pair);
    }

    /// The payload that has arrived so far.
    long bytesReceived() {
        QueuePair current = pair;
        return current == null ? 0 : current.bytesReceived();
    }

    long addressNanos() {
        return addressNanos;
    }

    long routeNanos() {
        return routeNanos;
    }

    long handshakeNanos() {
        return handshakeNanos;
    }

    /// Begins to resolve the next address of the server.
    void resolveNext() {
        stepBegan = System.nanoTime();
        try {
            ConnectionId next = channel.createId();
            id = next;
            next.resolveAddress(addresses.removeFirst(), settings.addressLimit);
        } catch (FabricException e) {
            machine.fail(failure(Reason.ADDRESS_RESOLUTION, e));
        }
    }

    /// The next event of the current address.
    Optional<ConnectionEvent> next(Duration limit) {
        return channel.next(limit).filter(event -> event.id().equals(id));
    }

    /// Handles the events that are there, without waiting.
    void pump() {
        next(Duration.ZERO).ifPresent(this::handle);
    }

    /// Does what an event asks for.
    ///
    /// NAA-CONN-11: an event that cannot be followed ends the setup.
    ///
    /// @return whether it moved the connection on
    /// @throws dev.outboard.naa.NaaException if no rule expects the event
    boolean handle(ConnectionEvent event) {
        ended |= isLast(event);
        if (isAddressFailure(event) && !addresses.isEmpty()) {
            machine.startOver();
            releaseQueues();
            resolveNext();
            return true;
        }
        try {
            return follow(event);
        } catch (FabricException e) {
            machine.fail(failure(Reason.CONNECT_ERROR, e));
            return true;
        }
    }

    private NaaConnectException failure(Reason reason, FabricException cause) {
        return new NaaConnectException(
                machine.where(), reason, String.valueOf(cause.getMessage()), cause);
    }

    private boolean follow(ConnectionEvent event) {
        NaaState before = machine.state();
        switch (machine.on(event)) {
            case PREPARE -> {
                addressNanos = lap();
                prepare();
            }
            case CONNECT -> {
                routeNanos = lap();
                connect();
            }
            case NONE -> {
                if (machine.state() == before) {
                    return false;
                }
                if (machine.state() == NaaState.CONNECTED) {
                    handshakeNanos = lap();
                    established = true;
                }
            }
        }
        return true;
    }

    /// Before the connection is established, another address may still work.
    private boolean isAddressFailure(ConnectionEvent event) {
        boolean settingUp = machine.state() == NaaState.INIT || machine.state() == NaaState.READY;
        return settingUp
                && switch (event.type()) {
                    case ADDRESS_ERROR, ROUTE_ERROR, UNREACHABLE -> true;
                    default -> false;
                };
    }

    /// NAA-SCOPE-2: a queue pair of type RC, connected by connection management.
    private void prepare() {
        CompletionQueue completions = shared.asyncRpcs().createQueue(maxSends + RECEIVES);
        queue = completions;
        QueuePair created =
                id().createQueuePair(
                                domain, QueuePairAttributes.of(completions, maxSends, RECEIVES));
        pair = created;
        link = new Link(created, completions, machine, settings.spin);
        id().resolveRoute(settings.routeLimit);
    }

    /// NAA-CONN-2, NAA-CONN-4: REQ with the dialect's retry count; RTU follows REP.
    private void connect() {
        int retries = settings.retryCount.orElse(settings.dialect.retryCount());
        id().connect(Link.parameters(retries));
    }

    private long lap() {
        long now = System.nanoTime();
        long nanos = now - stepBegan;
        stepBegan = now;
        return nanos;
    }

    /// Breaks the connection, so that a thread waiting for a completion gets one.
    ///
    /// NAA-DISC-1: with DREQ, which the server's connection management answers by itself.
    void breakOff() {
        ConnectionId breaking = id;
        if (breaking != null && established) {
            breaking.disconnect();
        }
    }

    /// NAA-DISC-2: disconnects, without relying on the server's reply.
    void disconnect(Duration limit) {
        breakOff();
        if (!established || ended) {
            return;
        }
        long end = System.nanoTime() + limit.toNanos();
        for (long left = limit.toNanos(); left > 0; left = end - System.nanoTime()) {
            Optional<ConnectionEvent> event = next(Duration.ofNanos(left));
            if (event.isPresent() && isLast(event.get())) {
                return;
            }
        }
    }

    private static boolean isLast(ConnectionEvent event) {
        return switch (event.type()) {
            case DISCONNECTED,
                    DEVICE_REMOVAL,
                    TIMEWAIT_EXIT,
                    REJECTED,
                    UNREACHABLE,
                    CONNECT_ERROR ->
                    true;
            default -> false;
        };
    }

    /// Destroys identifier, queue pair and completion queue.
    void releaseQueues() {
        Cleanup cleanup = new Cleanup();
        if (queue != null) {
            cleanup.defer(queue::close);
        }
        ConnectionId closing = id;
        if (closing != null) {
            cleanup.defer(closing::close);
        }
        id = null;
        pair = null;
        queue = null;
        link = null;
        established = false;
        ended = false;
        cleanup.finish(machine.where());
    }

    /// Releases everything, once nothing uses the domain.
    void close() {
        Cleanup cleanup = new Cleanup();
        cleanup.defer(domain::close);
        cleanup.defer(channel::close);
        cleanup.defer(this::releaseQueues);
        cleanup.finish(machine.where());
    }

    /// Where the connection comes from, as the server sees it.
    InetSocketAddress localAddress() {
        return id().localAddress();
    }

    private ConnectionId id() {
        return Objects.requireNonNull(id);
    }
}
