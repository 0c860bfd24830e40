package dev.outboard.naa.server;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.link.Cleanup;
import dev.outboard.naa.protocol.Counters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/// A software NAA: serves any number of clients at once from one thread, and runs the routine of
/// the function code they call: there if it is short, otherwise on one of some workers.
///
/// ```java
/// RoutineSet routines = RoutineSet.of(RoutineSpec.of(1, "increment", increment));
/// try (NaaServer server = NaaServer.start(device, 12345, routines, options)) {
///     …
/// }
/// ```
///
/// It runs on threads of its own; calls may come from any thread. [#close] turns new clients and
/// new RPCs away, lets running routines end, disconnects the clients and frees everything but the
/// caller's device.
///
/// NAA-SCOPE-1: the server's half.
public final class NaaServer implements AutoCloseable {
    private static final Duration ACCEPT_SLICE = Duration.ofMillis(100);
    private static final long STOP_RETRY_NANOS = 1_000_000;

    private final NaaListener listener;
    private final ServerRoutines routines;
    private final ServerOptions options;
    private final ServingLoop loop;
    private final Runnable closeDevice;
    private final Thread acceptor;
    private final Set<ConnectionWorker> connections = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> ended = new TreeMap<>(new Counters().snapshot());
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean accepting = true;

    private NaaServer(
            NaaListener listener,
            ServingLoop loop,
            RoutineSet routines,
            ServerOptions options,
            Runnable closeDevice) {
        this.listener = listener;
        this.loop = loop;
        this.routines = new ServerRoutines(routines, options, listener.counters());
        this.options = options;
        this.closeDevice = closeDevice;
        this.ended.put("connections.ended", 0L);
        this.acceptor =
                Thread.ofPlatform().daemon().name("naa-listen-" + port()).unstarted(this::accept);
    }

    /// Starts serving on a device of the caller's, which stays open when the server is closed.
    ///
    /// @param port 0 for any free one, see [#port]
    /// @throws dev.outboard.fabric.FabricException if the port is taken
    public static NaaServer start(
            Device device, int port, RoutineSet routines, ServerOptions options) {
        return start(device, port, routines, options, Optional.empty(), () -> {});
    }

    /// The same with clients whose queues are made elsewhere: an accelerator answers their RPCs.
    ///
    /// @param routines what it offers
    /// @throws dev.outboard.fabric.FabricException if the port is taken
    public static NaaServer start(
            Device device,
            int port,
            RoutineSet routines,
            ServerOptions options,
            ClientQueues.Maker queues) {
        return start(device, port, routines, options, Optional.of(queues), () -> {});
    }

    /// Opens a device, or shares the one that is open, starts serving on it, and gives it back with
    /// the server.
    ///
    /// @throws dev.outboard.fabric.FabricException if the device cannot be opened or the port is
    ///   taken
    public static NaaServer start(
            String deviceUri, int port, RoutineSet routines, ServerOptions options) {
        Devices.Share share = Devices.share(deviceUri);
        try {
            return start(share.device(), port, routines, options, Optional.empty(), share::close);
        } catch (RuntimeException e) {
            share.close();
            throw e;
        }
    }

    private static NaaServer start(
            Device device,
            int port,
            RoutineSet routines,
            ServerOptions options,
            Optional<ClientQueues.Maker> queues,
            Runnable closeDevice) {
        requireCodes(routines, options);
        ServingLoop loop = new ServingLoop(device, options.spin());
        try {
            NaaListener listener =
                    NaaListener.bind(
                            device, port, options, queues.orElseGet(() -> onHost(device, loop)));
            NaaServer server = new NaaServer(listener, loop, routines, options, closeDevice);
            loop.start("naa-serve-" + server.port());
            server.acceptor.start();
            return server;
        } catch (RuntimeException e) {
            loop.close();
            throw e;
        }
    }

    private static ClientQueues.Maker onHost(Device device, ServingLoop loop) {
        return ClientQueues.onHost(
                capacity -> device.createCompletionQueue(capacity, loop.channel()));
    }

    private static void requireCodes(RoutineSet routines, ServerOptions options) {
        int max = options.dialect().orElse(Dialect.AP1_2023).maxFunctionCode();
        for (RoutineSpec spec : routines.routines()) {
            if (spec.functionCode() > max) {
                throw new IllegalArgumentException(
                        "function code %d of routine '%s'; valid: 1 to %d"
                                .formatted(spec.functionCode(), spec.name(), max));
            }
        }
    }

    /// Offers other routines from now on; the clients stay. A call that was admitted before, also
    /// one that waits for a worker, ends with the routine it was admitted to. One thread at a time
    /// may call.
    ///
    /// @param whenUnused runs when no call uses the routines before any more, on any thread, which
    ///   it must not keep; not at all if the server is closed first
    /// @throws IllegalArgumentException if a function code is none of the dialect; then nothing
    ///   changes
    public void offer(RoutineSet others, Runnable whenUnused) {
        requireCodes(others, options);
        routines.offer(others, whenUnused);
    }

    /// The port it listens on.
    public int port() {
        return listener.port();
    }

    /// The clients that are connected or connecting.
    public List<NaaServerContext> connections() {
        return listener.contexts();
    }

    /// What all connections counted together, those that have ended included, how many there were
    /// and are, whom and what the server turned away, and what the routines did.
    public Map<String, Long> counters() {
        synchronized (ended) {
            Map<String, Long> sum = new TreeMap<>(ended);
            connections.forEach(worker -> add(worker.counters(), sum));
            sum.put("connections.open", (long) connections.size());
            sum.put("memory.bytes", listener.grants().usedBytes());
            routines.addTo(sum);
            return sum;
        }
    }

    private static void add(Map<String, Long> counters, Map<String, Long> sum) {
        counters.forEach((name, value) -> sum.merge(name, value, Long::sum));
    }

    /// Turns new clients and new RPCs away, lets running routines end within the limit, disconnects
    /// the clients and frees everything. A second call does nothing.
    ///
    /// NAA-MULTI-8: in this order.
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        long end = System.nanoTime() + options.shutdownLimit().toNanos();
        Cleanup cleanup = new Cleanup();
        cleanup.defer(closeDevice);
        cleanup.defer(loop::close);
        cleanup.defer(listener::close);
        cleanup.defer(() -> routines.workers().stop(options.shutdownLimit()));
        routines.drain();
        listener.drain();
        while (connections.stream().anyMatch(ConnectionWorker::isBusy) && !isOver(end)) {
            LockSupport.parkNanos(STOP_RETRY_NANOS);
        }
        accepting = false;
        awaitAcceptor();
        cleanup.step(listener::stopListening);
        while (!connections.isEmpty()) {
            boolean late = isOver(end);
            connections.forEach(connection -> connection.stop(late));
            rescue();
            LockSupport.parkNanos(STOP_RETRY_NANOS);
        }
        cleanup.finish(
                new NaaException.Where(
                        NaaException.Phase.DISCONNECT, NaaState.DISCONNECTED, "all clients"));
    }

    private static boolean isOver(long endNanos) {
        return System.nanoTime() - endNanos >= 0;
    }

    private void awaitAcceptor() {
        try {
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept() {
        while (accepting) {
            try {
                listener.accept(ACCEPT_SLICE).ifPresent(this::serve);
                listener.expire();
                rescue();
            } catch (RuntimeException e) {
                // An admission or an observer that throws must not end the server.
                options.observer().failed("the listener", e);
            }
        }
    }

    private void rescue() {
        connections.forEach(ConnectionWorker::rescue);
        loop.rescue();
    }

    /// NAA-MULTI-1: every connection has a context of its own.
    private void serve(NaaServerContext context) {
        ConnectionWorker worker =
                new ConnectionWorker(context, routines, options, loop, this::ended);
        connections.add(worker);
        options.observer().connected(context);
        worker.start();
    }

    private void ended(ConnectionWorker worker) {
        synchronized (ended) {
            add(worker.counters(), ended);
            ended.merge("connections.ended", 1L, Long::sum);
            connections.remove(worker);
        }
    }
}
