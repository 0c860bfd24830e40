package dev.outboard.naa;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/// A software NAA: serves any number of clients at once, each with a thread of its own, and runs
/// the routine of the function code they call.
///
/// ```java
/// try (NaaServer server = NaaServer.start(device, 12345, Map.of(1, increment), options)) {
///     …
/// }
/// ```
///
/// It runs on threads of its own; calls may come from any thread. [#close] lets running routines
/// end, disconnects the clients and frees everything but the caller's device.
public final class NaaServer implements AutoCloseable {
    private static final Duration ACCEPT_SLICE = Duration.ofMillis(100);
    private static final long STOP_RETRY_NANOS = 1_000_000;

    private final NaaListener listener;
    private final Map<Integer, Routine> routines;
    private final ServerOptions options;
    private final Runnable closeDevice;
    private final ExecutorService workers;
    private final Thread acceptor;
    private final Set<ConnectionWorker> connections = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> ended = new TreeMap<>();
    private final AtomicBoolean stopping = new AtomicBoolean();

    private NaaServer(
            NaaListener listener,
            Map<Integer, Routine> routines,
            ServerOptions options,
            Runnable closeDevice) {
        this.listener = listener;
        this.routines = Map.copyOf(routines);
        this.options = options;
        this.closeDevice = closeDevice;
        this.workers =
                Executors.newFixedThreadPool(
                        options.workers(),
                        Thread.ofPlatform().daemon().name("naa-routine-", 0).factory());
        this.acceptor =
                Thread.ofPlatform().daemon().name("naa-listen-" + port()).unstarted(this::accept);
    }

    /// Starts serving on a device of the caller's, which stays open when the server is closed.
    ///
    /// @param port 0 for any free one, see [#port]
    /// @param routines by function code
    /// @throws dev.outboard.fabric.FabricException if the port is taken
    public static NaaServer start(
            Device device, int port, Map<Integer, Routine> routines, ServerOptions options) {
        return start(device, port, routines, options, () -> {});
    }

    /// Opens a device, starts serving on it, and closes it with the server.
    ///
    /// @throws dev.outboard.fabric.FabricException if the device cannot be opened or the port is
    ///   taken
    public static NaaServer start(
            String deviceUri, int port, Map<Integer, Routine> routines, ServerOptions options) {
        Device device = Fabric.open(deviceUri);
        try {
            return start(device, port, routines, options, device::close);
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }

    private static NaaServer start(
            Device device,
            int port,
            Map<Integer, Routine> routines,
            ServerOptions options,
            Runnable closeDevice) {
        int max = options.dialect().orElse(Dialect.AP1_2023).maxFunctionCode();
        for (int code : routines.keySet()) {
            if (code < 1 || code > max) {
                throw new IllegalArgumentException(
                        "function code %d; valid: 1 to %d".formatted(code, max));
            }
        }
        NaaListener listener = NaaListener.bind(device, port, options);
        NaaServer server = new NaaServer(listener, routines, options, closeDevice);
        server.acceptor.start();
        return server;
    }

    /// The port it listens on.
    public int port() {
        return listener.port();
    }

    /// The clients that are connected or connecting.
    public List<NaaServerContext> connections() {
        return listener.contexts();
    }

    /// What all connections counted together, those that have ended included, and how many there
    /// were and are.
    public Map<String, Long> counters() {
        synchronized (ended) {
            Map<String, Long> sum = new TreeMap<>(ended);
            connections.forEach(worker -> add(worker.counters(), sum));
            sum.put("connections.open", (long) connections.size());
            return sum;
        }
    }

    private static void add(Map<String, Long> counters, Map<String, Long> sum) {
        counters.forEach((name, value) -> sum.merge(name, value, Long::sum));
    }

    /// Stops accepting, lets running routines end within the limit, disconnects the clients and
    /// frees everything. A second call does nothing.
    @Override
    public void close() {
        if (!stopping.compareAndSet(false, true)) {
            return;
        }
        Cleanup cleanup = new Cleanup();
        cleanup.defer(closeDevice);
        cleanup.defer(listener::close);
        cleanup.defer(this::awaitWorkers);
        cleanup.step(listener::stopListening);
        awaitAcceptor();
        long end = System.nanoTime() + options.shutdownLimit().toNanos();
        while (!connections.isEmpty()) {
            boolean late = System.nanoTime() - end >= 0;
            connections.forEach(connection -> connection.stop(late));
            LockSupport.parkNanos(STOP_RETRY_NANOS);
        }
        cleanup.finish(
                new NaaException.Where(
                        NaaException.Phase.DISCONNECT, NaaState.DISCONNECTED, "all clients"));
    }

    private void awaitAcceptor() {
        try {
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitWorkers() {
        workers.shutdownNow();
        try {
            workers.awaitTermination(options.shutdownLimit().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept() {
        while (!stopping.get()) {
            listener.accept(ACCEPT_SLICE).ifPresent(this::serve);
        }
    }

    private void serve(NaaServerContext context) {
        ConnectionWorker worker = new ConnectionWorker(context, routines, options, workers);
        connections.add(worker);
        options.observer().connected(context);
        Thread.ofPlatform()
                .daemon()
                .name("naa-client-" + context.peer())
                .start(() -> {
                    try {
                        worker.run();
                    } finally {
                        ended(worker);
                    }
                });
    }

    private void ended(ConnectionWorker worker) {
        synchronized (ended) {
            add(worker.counters(), ended);
            ended.merge("connections.ended", 1L, Long::sum);
            connections.remove(worker);
        }
    }
}
