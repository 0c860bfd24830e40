package dev.outboard.naa.server;

import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.link.Cleanup;
import dev.outboard.naa.protocol.ServerCounter;
import dev.outboard.naa.protocol.ServerCounters;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// Listens for clients and answers their connection requests. An application that serves one client
/// calls [#accept] once; [NaaServer] calls it for ever.
///
/// Connection events are handled inside [#accept] and [#pollAndHandleConnectionEvent]; while nobody
/// calls these, inside the waiting calls of the [NaaServerContext]s. Calls may come from any
/// thread. [#close] closes the contexts that are still open.
public final class NaaListener implements AutoCloseable {
    private static final int BACKLOG = 64;
    private static final int MAX_REJECT_BYTES = 148;

    private final Device device;
    private final ServerOptions options;
    private final ClientQueues.Maker queues;
    private final ConnectionChannel channel;
    private final ConnectionId id;
    private final RegionGrants grants;
    private final ServerCounters counters = new ServerCounters();
    private final Places places;
    private final Deque<NaaServerContext> established = new ArrayDeque<>();

    /// Whoever holds it handles events and touches `established`.
    private final ReentrantLock events = new ReentrantLock();

    private volatile boolean draining;

    private NaaListener(
            Device device,
            ServerOptions options,
            ClientQueues.Maker queues,
            ConnectionChannel channel,
            ConnectionId id) {
        this.device = device;
        this.options = options;
        this.queues = queues;
        this.channel = channel;
        this.id = id;
        this.grants = new RegionGrants(device, options);
        this.places = new Places(options);
    }

    /// Listens on the device's address.
    ///
    /// NAA-CONN-15: on a port of the caller's choice.
    ///
    /// @param port 0 for any free one, see [#port]
    /// @throws FabricException with SERVICE_IN_USE if the port is taken
    public static NaaListener bind(Device device, int port, ServerOptions options) {
        return bind(device, port, options, ClientQueues.onHost(device::createCompletionQueue));
    }

    /// Like [#bind(Device, int, ServerOptions)].
    ///
    /// @param queues makes the queues of a client
    public static NaaListener bind(
            Device device, int port, ServerOptions options, ClientQueues.Maker queues) {
        ConnectionChannel channel = device.createConnectionChannel();
        try {
            ConnectionId id = channel.createId();
            id.listen(port, BACKLOG);
            return new NaaListener(device, options, queues, channel, id);
        } catch (RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /// The port it listens on.
    public int port() {
        return id.localAddress().getPort();
    }

    /// The clients that are connected or connecting.
    public List<NaaServerContext> contexts() {
        return List.copyOf(places.all());
    }

    /// Waits for a client to be connected.
    ///
    /// NAA-MULTI-7: whoever serves one client only calls it once.
    ///
    /// @return empty if none was within `limit`
    public Optional<NaaServerContext> accept(Duration limit) {
        long start = System.nanoTime();
        long left = limit.toNanos();
        do {
            Optional<NaaServerContext> next = handleNext(Duration.ofNanos(Math.max(0, left)));
            if (next.isPresent()) {
                return next;
            }
            left = limit.toNanos() - (System.nanoTime() - start);
        } while (left > 0);
        return Optional.empty();
    }

    /// A client that is connected, or else the effect of the next event. The lock makes sure that a
    /// context cannot be established behind the back of a thread that waits here.
    private Optional<NaaServerContext> handleNext(Duration limit) {
        events.lock();
        try {
            if (established.isEmpty()) {
                channel.next(limit).ifPresent(this::handle);
            }
            return Optional.ofNullable(established.poll());
        } finally {
            events.unlock();
        }
    }

    /// Takes and handles one connection event.
    ///
    /// @return whether there was one within `limit`
    public boolean pollAndHandleConnectionEvent(Duration limit) {
        events.lock();
        try {
            Optional<ConnectionEvent> event = channel.next(limit);
            event.ifPresent(this::handle);
            return event.isPresent();
        } finally {
            events.unlock();
        }
    }

    /// Handles events on behalf of a context that waits, unless another thread does.
    void handleEventsIfUnattended() {
        if (events.tryLock()) {
            try {
                channel.next(Duration.ZERO).ifPresent(this::handle);
            } finally {
                events.unlock();
            }
        }
    }

    /// Handles a connection event.
    ///
    /// @return whether it concerned this listener or one of its contexts
    public boolean handle(ConnectionEvent event) {
        events.lock();
        try {
            if (event.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
                connectRequested(event.id());
                return true;
            }
            Optional<NaaServerContext> context = places.find(event.id());
            return context.isPresent() && handle(context.get(), event);
        } finally {
            events.unlock();
        }
    }

    private boolean handle(NaaServerContext context, ConnectionEvent event) {
        switch (event.type()) {
            case ESTABLISHED -> {
                context.established();
                established.add(context);
            }
            case DISCONNECTED, DEVICE_REMOVAL, CONNECT_ERROR, UNREACHABLE, REJECTED ->
                    lost(context, event);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void connectRequested(ConnectionId request) {
        InetSocketAddress peer = request.remoteAddress().orElseThrow();
        if (draining) {
            reject(
                    request,
                    peer,
                    ServerCounter.REJECTED_SHUTTING_DOWN,
                    "the server is shutting down");
        } else if (!admits(peer)) {
            reject(
                    request,
                    peer,
                    ServerCounter.REJECTED_NOT_ALLOWED,
                    peer.getAddress().getHostAddress() + " is not allowed here");
        } else {
            Origin origin = Origin.of(peer.getAddress());
            Optional<Places.Shortage> shortage = places.shortage(origin);
            if (shortage.isEmpty() || evict(shortage.get().rivals())) {
                accept(request, peer, origin);
            } else {
                reject(request, peer, shortage.get().counter(), shortage.get().why());
            }
        }
    }

    /// An admission that fails admits nobody.
    private boolean admits(InetSocketAddress peer) {
        try {
            return options.admission().admits(peer, List.of());
        } catch (RuntimeException e) {
            options.observer().failed(peer.toString(), e);
            return false;
        }
    }

    /// Takes the place of a client that makes no use of it, so that nobody keeps others out by
    /// doing nothing.
    ///
    /// @return false if all use theirs
    private boolean evict(List<NaaServerContext> candidates) {
        Optional<NaaServerContext> victim =
                Standing.leastDeserving(
                        candidates, context -> context.place().standing(), options.evictAfter());
        victim.ifPresent(this::evict);
        return victim.isPresent();
    }

    private void evict(NaaServerContext context) {
        Standing standing = context.place().standing();
        switch (standing.use()) {
            case HALF_OPEN -> giveUp(context);
            case NO_REGIONS -> evict(context, standing, ServerCounter.EVICTED_NO_REGIONS);
            case STALLED -> evict(context, standing, ServerCounter.EVICTED_STALLED);
            case IDLE, BUSY -> evict(context, standing, ServerCounter.EVICTED_IDLE);
        }
    }

    private void evict(NaaServerContext context, Standing standing, ServerCounter counter) {
        counters.add(counter);
        context.evict(standing.text());
    }

    /// Gives up handshakes that take longer than setting up may take.
    void expire() {
        Duration limit = options.setupLimit();
        if (!limit.isZero()) {
            places.all().stream()
                    .filter(context -> context.place().isHalfOpen(limit))
                    .forEach(this::giveUp);
        }
    }

    private void giveUp(NaaServerContext context) {
        events.lock();
        try {
            if (context.state() == NaaState.READY) {
                context.close();
                counters.add(ServerCounter.HALF_OPEN);
                options.observer().rejected(context.peerAddress(), "did not finish its handshake");
            }
        } finally {
            events.unlock();
        }
    }

    private void accept(ConnectionId request, InetSocketAddress peer, Origin origin) {
        NaaServerContext context;
        try {
            context = new NaaServerContext(this, device, request, peer, origin);
        } catch (RuntimeException e) {
            reject(request, peer, ServerCounter.REJECTED_RESOURCES, "out of resources");
            options.observer().failed(peer.toString(), e);
            return;
        }
        places.add(request, context);
        try {
            context.accept();
        } catch (FabricException e) {
            // The client has withdrawn its request.
            context.close();
            options.observer().rejected(peer, String.valueOf(e.getMessage()));
        }
    }

    /// NAA-MULTI-3: with a text, and nothing is left of the request.
    private void reject(
            ConnectionId request, InetSocketAddress peer, ServerCounter counter, String why) {
        byte[] text = (why + "\0").getBytes(StandardCharsets.US_ASCII);
        assert text.length <= MAX_REJECT_BYTES : "the explanation is too long";
        request.reject(text);
        request.close();
        counters.add(counter);
        options.observer().rejected(peer, why);
    }

    /// Nobody accepts a context that was never established, so it is closed here.
    private void lost(NaaServerContext context, ConnectionEvent event) {
        context.ended(event.type());
        if (context.state() == NaaState.READY) {
            context.close();
            counters.add(ServerCounter.HALF_OPEN);
            options.observer().rejected(context.peerAddress(), "never connected");
        }
    }

    ServerOptions options() {
        return options;
    }

    /// What makes the queues of a client.
    ClientQueues.Maker queues() {
        return queues;
    }

    /// Who decides about the clients' memory.
    RegionGrants grants() {
        return grants;
    }

    /// The context's place is free.
    void released(NaaServerContext context) {
        places.remove(context);
    }

    ServerCounters counters() {
        return counters;
    }

    /// Rejects all new clients from now on.
    void drain() {
        draining = true;
    }

    /// Stops listening; contexts stay open.
    void stopListening() {
        id.close();
    }

    /// Stops listening and closes the contexts that are open.
    @Override
    public void close() {
        Cleanup cleanup = new Cleanup();
        cleanup.defer(channel::close);
        cleanup.defer(id::close);
        places.all().forEach(context -> cleanup.defer(context::close));
        cleanup.finish(
                new NaaException.Where(
                        NaaException.Phase.DISCONNECT, NaaState.DISCONNECTED, "all clients"));
    }
}
