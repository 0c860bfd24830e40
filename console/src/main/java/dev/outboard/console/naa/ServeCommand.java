package dev.outboard.console.naa;

import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.console.node.KeyOptions;
import dev.outboard.console.node.NodeFileException;
import dev.outboard.console.node.NodePlan;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.node.Node;
import dev.outboard.node.NodeOptions;
import dev.outboard.node.watch.NodeTrace;
import dev.outboard.node.watch.RpcEvent;
import dev.outboard.node.watch.SlowCalls;
import dev.outboard.terminal.CommandException;
import dev.outboard.terminal.Hangup;
import dev.outboard.terminal.ShutdownHook;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
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
        modelTransformer = KeyOptions.All.class,
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
            names = "--config",
            paramLabel = "FILE",
            description =
                    "Read the description of the node from FILE, in YAML; options win. Read again at a"
                            + " SIGHUP, for routines and targets. docs/node-yaml.md lists the keys,"
                            + " 'outboard node check' tells what is wrong with them.")
    private @Nullable Path config;

    @Option(names = "--quiet", description = "Do not print a line per client.")
    private boolean quiet;

    @Option(
            names = "--slow",
            paramLabel = "TIME",
            description = "Print where the time of each call went that took longer than TIME.")
    private @Nullable Duration slow;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Write what the calls did, step by step, to FILE when the node ends;"
                            + " https://ui.perfetto.dev opens it, and 'outboard trace merge' joins it"
                            + " with that of a client.")
    private @Nullable Path traceFile;

    @Option(
            names = "--while-stdin",
            hidden = true,
            description = "End when standard input does: for a node that another program starts.")
    private boolean whileStdin;

    private final ServerLog log = new ServerLog(this::print);
    private final NodeTrace trace = new NodeTrace();

    @Mixin private DeviceOptions options;

    /// Given whenever there is something to do: to read the file again, or to end.
    private final Semaphore asked = new Semaphore(0);

    private volatile boolean stopping;

    @Override
    public Integer call() throws InterruptedException, IOException {
        NodePlan plan = plan();
        CountDownLatch stopped = new CountDownLatch(1);
        try (ShutdownHook _ =
                        new ShutdownHook(
                                "naa-stop", () -> stopAndWait(plan.shutdownTime(), stopped));
                Devices.Share share = open(plan)) {
            sayStats(share.device(), serve(share.device(), plan));
            writeTrace();
        } finally {
            log.flush(LAST_WORDS);
            stopped.countDown();
        }
        return ExitCode.OK;
    }

    private void writeTrace() {
        if (traceFile != null) {
            CallTrace.write(traceFile, trace::write);
        }
    }

    private ServerObserver observer() {
        ServerObserver told = ServerObserver.both(new ClientLog(log, quiet), RpcEvent.recording());
        if (slow != null) {
            told = ServerObserver.both(told, new SlowCalls(log, slow));
        }
        return traceFile == null ? told : ServerObserver.both(told, trace);
    }

    private NodePlan plan() throws IOException {
        return NodePlan.of(spec.commandLine().getParseResult(), config);
    }

    /// Serves until it is told to stop.
    ///
    /// @return what the node has counted
    private Map<String, Long> serve(Device device, NodePlan plan) throws InterruptedException {
        Node stopped;
        try (Node node = start(device, plan)) {
            stopped = node;
            endWithStdin();
            if (config != null) {
                Hangup.whenSignalled(asked::release);
            }
            node.metricsUrl().ifPresent(url -> log.say("metrics at " + url));
            sayReady(device, node, plan);
            asked.acquire();
            while (!stopping) {
                asked.drainPermits();
                reload(node, plan);
                asked.acquire();
            }
        }
        return stopped.counters();
    }

    /// Whatever is wrong with the file, or with what it asks for, the node goes on as it was.
    private void reload(Node node, NodePlan started) {
        try {
            NodePlan next = plan();
            node.offer(next.routines());
            log.say("%s was read again: %d routines".formatted(config, node.routines()));
            SortedSet<String> others = next.keysForRestart(started);
            if (!others.isEmpty()) {
                log.say(
                        "%s: changes of %s wait for the next start"
                                .formatted(config, String.join(", ", others)));
            }
        } catch (NodeFileException e) {
            e.lines().forEach(log::say);
            log.say("%s is wrong: the node goes on as it was".formatted(config));
        } catch (RtlException e) {
            // Its lines say which one of the design is wrong.
            log.say(
                    "%s was not taken, the node goes on as it was: %s"
                            .formatted(config, e.getMessage()));
        } catch (IOException | RuntimeException e) {
            log.say("%s was not taken, the node goes on as it was: %s".formatted(config, e));
        }
    }

    private Devices.Share open(NodePlan plan) {
        return plan.bind().equals(AUTO) ? options.openTowards(LOOPBACK) : options.open(plan.bind());
    }

    private Node start(Device device, NodePlan plan) {
        try {
            NodeOptions node =
                    new NodeOptions(
                            plan.port(),
                            plan.routines(),
                            plan.metricsPort(),
                            plan.server().observer(observer()).build(),
                            Optional.ofNullable(traceFile).map(_ -> trace));
            return Node.start(device, node, log);
        } catch (IllegalArgumentException e) {
            throw new CommandException(e);
        } catch (UncheckedIOException e) {
            throw new CommandException(e.getMessage() + "; choose another --metrics port", e);
        }
    }

    private void stop() {
        stopping = true;
        asked.release();
    }

    private void endWithStdin() {
        if (whileStdin) {
            Thread.ofPlatform()
                    .daemon()
                    .name("naa-stdin")
                    .start(() -> {
                        readToEnd(System.in);
                        stop();
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
    private void stopAndWait(Duration shutdownTime, CountDownLatch stopped) {
        stop();
        try {
            Duration limit = shutdownTime.plus(END_LIMIT);
            stopped.await(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void sayReady(Device device, Node node, NodePlan plan) {
        InetAddress address = device.address();
        String host = address.getHostAddress();
        log.say(
                "ready at %s:%d, %d routines, dialect %s (Ctrl-C ends)"
                        .formatted(
                                address instanceof Inet6Address ? "[" + host + "]" : host,
                                node.port(),
                                node.routines(),
                                plan.dialect().map(Dialect::toString).orElse(AUTO)));
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
