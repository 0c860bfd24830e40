package dev.outboard.console.naa;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.Node;
import dev.outboard.node.NodeOptions;
import dev.outboard.node.offload.Target;
import dev.outboard.terminal.CommandException;
import dev.outboard.terminal.ShutdownHook;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `outboard naa serve`: a software NAA that runs until it is told to end.
@Command(
        name = "serve",
        sortOptions = false,
        description = {
            "Run an accelerator node: a software NAA with the routines of 'outboard naa routines'.",
            "Ends with Ctrl-C: finishes the calls that run and refuses new ones. The protocol has"
                    + " no authentication: whoever reaches the address may call, which is why only this"
                    + " machine does unless --bind says otherwise."
        })
final class ServeCommand implements Callable<Integer> {
    private static final String AUTO = "auto";
    private static final String LOOPBACK = "127.0.0.1";
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    /// What a reader of the last lines gets to take them.
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    @Spec private CommandSpec spec;

    @Option(
            names = "--bind",
            paramLabel = "ADDR",
            defaultValue = LOOPBACK,
            description =
                    "The local address to serve, default 127.0.0.1; 'auto' takes a free loopback"
                            + " address. One process can serve an address.")
    private String bind = LOOPBACK;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "12345",
            description = "The port to serve, default 12345; 0 takes a free one.")
    private int port;

    @Option(
            names = "--dialect",
            paramLabel = "NAME",
            converter = DialectConverter.OrAuto.class,
            defaultValue = AUTO,
            description = "Serve upstream-2026 or ap1-2023 only. Default: auto, both.")
    private @Nullable Dialect dialect;

    @Option(
            names = "--metrics",
            paramLabel = "PORT",
            description =
                    "Show the counters to Prometheus at http://ADDR:PORT/metrics; 0 takes a free"
                            + " port.")
    private @Nullable Integer metricsPort;

    @Option(
            names = "--target",
            paramLabel = "NAME=TARGET",
            description =
                    "Where the routine NAME runs: cpu; afu, a function of a simulated FPGA; dpa, a"
                            + " kernel of a simulated data-path accelerator; dpa-handler, a handler of"
                            + " it that answers by itself; or chain, a function of an FPGA that such a"
                            + " handler drives. May be given several times; 'edges' runs on all of them,"
                            + " 'empty' on the cpu and in a handler, the others on the cpu. With"
                            + " dpa-handler or chain, the node offers the routines there and no others.")
    private Map<String, String> targets = new LinkedHashMap<>();

    @Option(names = "--quiet", description = "Do not print a line per client.")
    private boolean quiet;

    @Option(
            names = "--while-stdin",
            hidden = true,
            description = "End when standard input does: for a node that another program starts.")
    private boolean whileStdin;

    private final ServerLog log = new ServerLog(this::print);

    @Mixin private RoutineOptions routines;

    @Mixin private LimitOptions limits;

    @Mixin private DeviceOptions options;

    @Override
    public Integer call() throws InterruptedException {
        RoutineSet offered = routines.load();
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        try (ShutdownHook _ = new ShutdownHook("naa-stop", () -> stopAndWait(stop, stopped));
                Devices.Share share = open()) {
            sayStats(share.device(), serve(share.device(), offered, stop));
        } finally {
            log.flush(LAST_WORDS);
            stopped.countDown();
        }
        return ExitCode.OK;
    }

    /// Serves until `stop`.
    ///
    /// @return what the node has counted
    private Map<String, Long> serve(Device device, RoutineSet offered, CountDownLatch stop)
            throws InterruptedException {
        Node stopped;
        try (Node node = start(device, offered)) {
            stopped = node;
            endWithStdin(stop);
            node.metricsUrl().ifPresent(url -> log.say("metrics at " + url));
            sayReady(device, node);
            stop.await();
        }
        return stopped.counters();
    }

    private Devices.Share open() {
        return bind.equals(AUTO) ? options.openTowards(LOOPBACK) : options.open(bind);
    }

    private Node start(Device device, RoutineSet offered) {
        ServerOptions.Builder builder = ServerOptions.builder();
        if (dialect == null) {
            builder.anyDialect();
        } else {
            builder.dialect(dialect);
        }
        builder.observer(new ClientLog(log, quiet));
        try {
            limits.addTo(builder);
            OptionalInt metrics =
                    metricsPort == null ? OptionalInt.empty() : OptionalInt.of(metricsPort);
            NodeOptions node =
                    new NodeOptions(port, offered, wantedTargets(), metrics, builder.build());
            return Node.start(device, node, log);
        } catch (IllegalArgumentException e) {
            throw new CommandException(e);
        } catch (UncheckedIOException e) {
            throw new CommandException(e.getMessage() + "; choose another --metrics port", e);
        }
    }

    private Map<String, Target> wantedTargets() {
        Map<String, Target> wanted = new LinkedHashMap<>();
        targets.forEach((name, target) -> wanted.put(name, Target.of(target)));
        return wanted;
    }

    private void endWithStdin(CountDownLatch stop) {
        if (whileStdin) {
            Thread.ofPlatform()
                    .daemon()
                    .name("naa-stdin")
                    .start(() -> {
                        readToEnd(System.in);
                        stop.countDown();
                    });
        }
    }

    private static void readToEnd(InputStream input) {
        try {
            input.transferTo(OutputStream.nullOutputStream());
        } catch (IOException _) {
            // As good as the end.
        }
    }

    /// Runs when the process is told to end: lets [#call] finish before Java stops everything.
    private void stopAndWait(CountDownLatch stop, CountDownLatch stopped) {
        stop.countDown();
        try {
            Duration limit = limits.shutdownTime().plus(END_LIMIT);
            stopped.await(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void sayReady(Device device, Node node) {
        InetAddress address = device.address();
        String host = address.getHostAddress();
        log.say(
                "ready at %s:%d, %d routines, dialect %s (Ctrl-C ends)"
                        .formatted(
                                address instanceof Inet6Address ? "[" + host + "]" : host,
                                node.port(),
                                node.routines(),
                                dialect == null ? AUTO : dialect));
    }

    /// Room for them is made first: they are what the operator has asked for.
    private void sayStats(Device device, Map<String, Long> node) {
        if (options.stats()) {
            log.flush(LAST_WORDS);
            StringWriter text = new StringWriter();
            PrintWriter out = new PrintWriter(text);
            new Counters()
                    .add("node, all connections", node)
                    .add("device " + device.name(), device.counters())
                    .print(out);
            log.say(text.toString().stripTrailing());
        }
    }

    /// Called by the log, on a thread that may wait.
    private void print(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
