package dev.outboard.console.naa;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.client.NaaAddress;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.node.routine.RoutineError;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard naa call`: one session from files to files.
@Command(
        name = "call",
        sortOptions = false,
        description = {
            "Call a routine of a node: send regions from files, write those that come back to"
                    + " files.",
            "The regions have the order of the command line; 'outboard naa routines' lists what the"
                    + " routines of 'outboard naa serve' take. --at, --send and --once say more about"
                    + " the region before them."
        },
        footer = {
            "",
            "Example: hash a file with the node at 127.0.0.1",
            "  outboard naa call 127.0.0.1 --function 12 --in letter.txt --out 32:digest.bin",
            "Example: send a table with the first of 100 RPCs only",
            "  outboard naa call 127.0.0.1 --function 42 --in table.bin --once --inout x.bin"
                    + " --repeat 100"
        })
final class CallCommand implements Callable<Integer> {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "ADDR[:PORT]",
            converter = NaaAddressConverter.class,
            description = "The node; the port is 12345 unless given.")
    private NaaAddress node;

    @Option(
            names = "--function",
            required = true,
            paramLabel = "N",
            description = "The routine's function code.")
    private int function;

    @ArgGroup(exclusive = false, multiplicity = "0..*")
    private List<RegionOption> regions = new ArrayList<>();

    @Option(
            names = "--user-bytes",
            paramLabel = "B0,B1,B2",
            converter = UserBytes.Converter.class,
            description =
                    "Three bytes that the routine gets along with its function code, default"
                            + " 0,0,0.")
    private @Nullable UserBytes userBytes;

    @Option(
            names = "--dialect",
            paramLabel = "NAME",
            converter = DialectConverter.class,
            defaultValue = "upstream-2026",
            description = "What the node speaks: upstream-2026 (default) or ap1-2023.")
    private Dialect dialect;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "60s",
            description =
                    "Limit of region setup and of each RPC, default 60s, 0s for none; connecting"
                            + " takes 10s at most.")
    private Duration timeout;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "1",
            description = "Make N RPCs; the times are their medians.")
    private int repeat;

    @Option(
            names = "--bind",
            paramLabel = "ADDR",
            description =
                    "The local address to use. Default: the one that leads to the node, on loopback"
                            + " a free one.")
    private @Nullable String bind;

    @Mixin private CallTrace trace;

    @Mixin private DeviceOptions options;

    @Override
    public Integer call() throws IOException {
        check();
        try (Arena arena = Arena.ofShared()) {
            List<RegionSpec> specs = new ArrayList<>();
            for (RegionOption region : parameters()) {
                specs.add(region.load(arena, dialect));
            }
            try (Devices.Share share = open();
                    NaaClient client = client(share.device(), specs)) {
                Device device = share.device();
                trace.watch(device);
                TransferProgress progress =
                        new TransferProgress(client, device, spec.commandLine().getErr(), trace);
                List<RpcResult> results = run(client, progress);
                save(specs);
                report(
                        device,
                        client,
                        new RpcReport().setup(client).rpcs(progress.sent(), results),
                        results.getLast());
            } finally {
                trace.write(List.of());
            }
        }
        return ExitCode.OK;
    }

    private void check() {
        if (parameters().isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "give at least one region with --in, --out or --inout");
        }
        if (repeat < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--repeat is " + repeat + "; valid: 1 or more");
        }
        if (userBytes != null && dialect == Dialect.AP1_2023) {
            throw new CommandException(
                    dialect + " cannot carry user bytes; --user-bytes needs upstream-2026");
        }
        regions.forEach(region -> region.check(dialect));
        requireDistinctTargets();
        requireOneResult();
    }

    /// What is no regular file, such as `/dev/null`, may take any number of results.
    private void requireDistinctTargets() {
        Set<Path> targets = new HashSet<>();
        for (RegionOption region : regions) {
            Path target = region.target().orElse(null);
            if (target != null
                    && (!Files.exists(target) || Files.isRegularFile(target))
                    && !targets.add(target.toAbsolutePath().normalize())) {
                throw new CommandException(
                        target
                                + " would be written twice: the second result would replace the"
                                + " first");
            }
        }
    }

    /// The regions that both sides have; the others exist on the node only.
    private List<RegionOption> parameters() {
        return regions.stream().filter(region -> !region.isInternal()).toList();
    }

    private Devices.Share open() {
        return bind == null ? options.openTowards(node.host()) : options.open(bind);
    }

    private NaaClient client(Device device, List<RegionSpec> specs) {
        try {
            NaaClientBuilder builder =
                    NaaClient.builder(node.host(), node.port())
                            .device(device)
                            .dialect(dialect)
                            .functionCode(function)
                            .regions(specs)
                            .maxRegions(MrspMessage.MAX_REGIONS)
                            .connectLimit(connectLimit())
                            .timeout(timeout);
            regions.stream()
                    .filter(RegionOption::isInternal)
                    .map(RegionOption::internal)
                    .forEach(builder::internal);
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw new CommandException(e);
        }
    }

    private Duration connectLimit() {
        boolean shorter = !timeout.isZero() && timeout.compareTo(CONNECT_LIMIT) < 0;
        return shorter ? timeout : CONNECT_LIMIT;
    }

    private List<RpcResult> run(NaaClient client, TransferProgress progress) {
        client.connect();
        client.registerRegions();
        setUpRegions(client);
        trace.setUp(client);
        prepare(client);
        List<RpcResult> results = new ArrayList<>();
        try {
            for (int i = 0; i < repeat; i++) {
                results.add(progress.invoke());
            }
        } catch (RpcException e) {
            throw new CommandException(explain(e), e);
        }
        return results;
    }

    /// Says what region setup does not carry.
    private void prepare(NaaClient client) {
        List<RegionOption> parameters = parameters();
        for (int i = 0; i < parameters.size(); i++) {
            OptionalLong bytes = parameters.get(i).bytesToSend();
            if (bytes.isPresent()) {
                client.setBytesToSend(i, bytes.getAsLong());
            }
        }
        if (userBytes != null) {
            client.setUserImmediate(userBytes.first(), userBytes.second(), userBytes.third());
        }
    }

    private void setUpRegions(NaaClient client) {
        try {
            client.runMrsp();
        } catch (MrspException e) {
            throw switch (e.code()) {
                case MrspException.NO_MEMORY ->
                        new CommandException(
                                "the node at %s has no memory for these regions; make them smaller, or start the node with a larger --max-memory"
                                        .formatted(node),
                                e);
                case MrspException.MALFORMED ->
                        new CommandException(
                                "%s; if the node speaks another dialect than %s, say so with --dialect"
                                        .formatted(e.getMessage(), dialect),
                                e);
                default -> e;
            };
        }
    }

    private void requireOneResult() {
        long results = regions.stream().flatMap(region -> region.target().stream()).count();
        if (dialect == Dialect.AP1_2023 && results != 1) {
            throw new CommandException(
                    "ap1-2023 returns exactly one region; give one --out or --inout, not "
                            + results);
        }
    }

    /// A code belongs to the routine that returned it, and nothing tells whose node this is: what a
    /// routine of ours means by the code is said as a possibility.
    private String explain(RpcException failure) {
        int code = failure.returnCode();
        if (code == ReturnCode.NOT_AVAILABLE) {
            return "the node at "
                    + node
                    + " has no routine with function code "
                    + function
                    + "; 'outboard naa routines' lists those of 'outboard naa serve'";
        }
        String what =
                "function %d at %s ended with code %s"
                        .formatted(function, node, ReturnCode.explain(code));
        return RoutineCatalog.ROUTINES
                .find(function)
                .flatMap(routine -> meaning(routine, code))
                .map(meaning -> what + "; if it is " + meaning + " (see 'outboard naa routines')")
                .orElse(String.valueOf(failure.getMessage()));
    }

    private static Optional<String> meaning(RoutineSpec routine, int code) {
        Optional<String> wanted =
                code == ReturnCode.WRONG_ARGUMENTS
                        ? Optional.of(arguments(routine))
                        : RoutineError.of(code).map(RoutineError::text);
        return wanted.map(text -> routine.name() + " of 'outboard naa serve': " + text);
    }

    private static String arguments(RoutineSpec routine) {
        return routine.arguments().stream()
                .map(argument -> "--" + argument.role() + " " + argument.name())
                .collect(Collectors.joining(", ", "it takes ", ""));
    }

    private void save(List<RegionSpec> specs) {
        for (int i = 0; i < specs.size(); i++) {
            Optional<Path> target = parameters().get(i).target();
            if (target.isPresent()) {
                RegionOption.save(specs.get(i).memory(), target.get());
            }
        }
    }

    private void report(Device device, NaaClient client, RpcReport times, RpcResult last) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                "function %d at %s (%s, from %s): %s%s%n",
                function,
                node,
                dialect,
                device.address().getHostAddress(),
                ReturnCode.explain(last.returnCode()),
                repeat == 1 ? "" : ", " + repeat + " times");
        times.print(out);
        if (options.stats()) {
            out.println();
            new Counters()
                    .add("device " + device.name(), device.counters())
                    .add("connection to " + node, client.counters())
                    .print(out);
        }
        out.flush();
        if (last.missingBytes() > 0) {
            warn(
                    "the node returned %d of %d bytes; the rest of %s is what it was before the call"
                            .formatted(last.totalBytesReceived(), last.expectedBytes(), targets()));
        }
    }

    private String targets() {
        return regions.stream()
                .flatMap(region -> region.target().stream())
                .map(Path::toString)
                .collect(Collectors.joining(" and "));
    }

    private void warn(String line) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("outboard: " + line);
        err.flush();
    }
}
