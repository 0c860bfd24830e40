package dev.outboard.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Shows the counters of a node to Prometheus, in its text format 0.0.4. Runs on a thread of its
/// own until it is closed.
final class MetricsEndpoint implements AutoCloseable {
    private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final Pattern LABELLED = Pattern.compile("(routine|target)\\.([^.]+)\\.(.+)");

    /// What goes up and down; everything else only grows.
    private static final Set<String> GAUGES =
            Set.of(
                    "connections.open",
                    "memory.bytes",
                    "workers.queued",
                    "workers.stuck",
                    "routine.longest-nanos",
                    "routine.moved",
                    "target.running",
                    "target.waiting");

    /// The JDK's server reads these once: seconds to send a request and to take its answer, and how
    /// many may do so at a time.
    private static final Map<String, String> LIMITS =
            Map.of(
                    "sun.net.httpserver.maxReqTime", "10",
                    "sun.net.httpserver.maxRspTime", "10",
                    "jdk.httpserver.maxConnections", "64");

    private final HttpServer server;
    private final ExecutorService threads;

    private MetricsEndpoint(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /// Starts answering.
    ///
    /// @param port 0 for any free one
    /// @param counters what to show, asked for each time
    /// @throws UncheckedIOException if the port is taken
    static MetricsEndpoint start(
            InetAddress address, int port, Supplier<Map<String, Long>> counters) {
        InetSocketAddress bind = new InetSocketAddress(address, port);
        try {
            LIMITS.forEach(System::setProperty);
            HttpServer server = HttpServer.create(bind, 0);
            // A thread for each, since a client may send half a request or not take the answer.
            ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
            server.setExecutor(threads);
            server.createContext("/metrics", exchange -> answer(exchange, counters.get()));
            server.start();
            return new MetricsEndpoint(server, threads);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot show metrics at %s: %s".formatted(bind, e.getMessage()), e);
        }
    }

    /// Where Prometheus finds them.
    String url() {
        InetSocketAddress at = server.getAddress();
        String host = at.getAddress().getHostAddress();
        return "http://%s:%d/metrics"
                .formatted(host.contains(":") ? "[" + host + "]" : host, at.getPort());
    }

    private static void answer(HttpExchange exchange, Map<String, Long> counters)
            throws IOException {
        byte[] text = text(counters).getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", CONTENT_TYPE);
        exchange.sendResponseHeaders(200, text.length);
        try (OutputStream body = exchange.getResponseBody()) {
            body.write(text);
        }
    }

    /// All counters; those of routines and targets become one metric each, with a label for which.
    static String text(Map<String, Long> counters) {
        Map<String, StringBuilder> metrics = new TreeMap<>();
        counters.forEach((name, value) -> {
            Matcher one = LABELLED.matcher(name);
            boolean isOne = one.matches();
            String counted = isOne ? one.group(1) + "." + one.group(3) : name;
            String label = isOne ? "{%s=\"%s\"}".formatted(one.group(1), one.group(2)) : "";
            String metric = metric(counted);
            metrics.computeIfAbsent(metric, _ -> head(metric, counted))
                    .append(metric)
                    .append(label)
                    .append(' ')
                    .append(value)
                    .append('\n');
        });
        return String.join("", metrics.values());
    }

    private static String metric(String name) {
        String plain = "outboard_naa_" + name.replaceAll("[^A-Za-z0-9]", "_");
        return GAUGES.contains(name) ? plain : plain + "_total";
    }

    private static StringBuilder head(String metric, String name) {
        String type = GAUGES.contains(name) ? "gauge" : "counter";
        return new StringBuilder("# TYPE ").append(metric).append(' ').append(type).append('\n');
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
