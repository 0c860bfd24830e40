package dev.outboard.console.node;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.NaaMemory;
import dev.outboard.naa.server.Admission;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.offload.RoutinePlan;
import dev.outboard.terminal.ByteSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/// A node as a file and the options of a command describe it, which win.
public final class NodePlan {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int DEFAULT_PORT = 12_345;

    private final Settings settings;
    private final RoutinePlan routines;
    private final ServerOptions.Builder server;

    private NodePlan(Settings settings, RoutinePlan routines, ServerOptions.Builder server) {
        this.settings = settings;
        this.routines = routines;
        this.server = server;
    }

    /// What the options of a command with [KeyOptions] say, and the file where they say nothing.
    ///
    /// @param file null for options only
    /// @throws IOException if the file cannot be read
    /// @throws NodeFileException if it is wrong
    /// @throws dev.outboard.terminal.CommandException if an option is
    public static NodePlan of(ParseResult words, @Nullable Path file) throws IOException {
        Settings options = KeyOptions.given(words);
        if (file == null) {
            return of(options, new Problems(Path.of("")));
        }
        Problems problems = new Problems(file);
        NodePlan plan = of(options.over(NodeFile.read(file, problems)), problems);
        if (!problems.isEmpty()) {
            throw new NodeFileException(file, problems.lines());
        }
        return plan;
    }

    /// @param problems is told what is wrong; the plan is for nothing then
    static NodePlan of(Settings settings, Problems problems) {
        return new NodePlan(
                settings,
                new RoutineSettings(settings, problems).plan(),
                serverOptions(settings, problems));
    }

    /// The routines that the options of a command with [KeyOptions.Routines] say.
    ///
    /// @throws dev.outboard.terminal.CommandException if a JAR cannot be used or a function code is
    ///   taken
    public static RoutineSet routines(ParseResult words) {
        Settings options = KeyOptions.given(words);
        return new RoutineSettings(options, new Problems(Path.of(""))).plan().routines();
    }

    /// The address to serve, or `auto`.
    public String bind() {
        return settings.value(NodeKeys.BIND, LOOPBACK);
    }

    /// The port to serve.
    public int port() {
        return settings.value(NodeKeys.PORT, DEFAULT_PORT);
    }

    /// The only dialect to serve; empty for all.
    public Optional<Dialect> dialect() {
        return settings.value(NodeKeys.DIALECT, Optional.empty());
    }

    /// Where to show counters.
    public OptionalInt metricsPort() {
        return settings.find(NodeKeys.METRICS).stream()
                .mapToInt(found -> found.value())
                .findFirst();
    }

    /// What running calls get when the node ends.
    public Duration shutdownTime() {
        return settings.value(NodeKeys.SHUTDOWN_TIME, Duration.ofSeconds(5));
    }

    /// What to offer.
    public RoutinePlan routines() {
        return routines;
    }

    /// Limits and dialect.
    public ServerOptions.Builder server() {
        return server;
    }

    /// The keys that another plan has otherwise, and that count when the node is started again
    /// only.
    public SortedSet<String> keysForRestart(NodePlan other) {
        return settings.differences(other.settings, NodeKeys.ofStart());
    }

    private static ServerOptions.Builder serverOptions(Settings settings, Problems problems) {
        ServerOptions.Builder builder = ServerOptions.builder().maxRegions(MrspMessage.MAX_REGIONS);
        settings.value(NodeKeys.DIALECT, Optional.empty())
                .ifPresentOrElse(builder::dialect, builder::anyDialect);
        var allowed = settings.of(NodeKeys.ALLOW).stream().map(Setting::value).toList();
        if (!allowed.isEmpty()) {
            builder.admission(Admission.only(allowed));
        }
        NodeKeys.LIMITS.forEach(limit -> limit.apply(settings, builder));
        long bytes =
                settings.find(NodeKeys.ADDRESS_SPACE)
                        .map(Setting::value)
                        .map(ByteSize::bytes)
                        .orElse(NaaMemory.largest().bytes());
        try {
            builder.memory(new NaaMemory(bytes, settings.value(NodeKeys.BANKS, 1)));
        } catch (IllegalArgumentException e) {
            // Nothing said is never wrong.
            settings.find(NodeKeys.BANKS)
                    .<Setting<?>>map(found -> found)
                    .or(() -> settings.find(NodeKeys.ADDRESS_SPACE))
                    .ifPresent(found -> problems.add(found, String.valueOf(e.getMessage())));
        }
        return builder;
    }
}
