package dev.outboard.console.naa;

import dev.outboard.console.terminal.ConsoleException;
import dev.outboard.fabric.Device;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.client.NaaAddress;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.node.routine.RoutineError;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
                    + " routines of 'outboard naa serve' take."
        },
        footer = {
            "",
            "Example: hash a file with the node at 127.0.0.1",
            "  outboard naa call 127.0.0.1 --function 12 --in letter.txt --out 32:digest.bin"
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

    @ArgGroup(multiplicity = "0..*")
    private List<RegionOption> regions = new ArrayList<>();

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

    @Mixin private DeviceOptions options;

    @Override
    public Integer call() throws IOException {
        if (regions.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "give at least one region with --in, --out or --inout");
        }
        try (Arena arena = Arena.ofShared()) {
            List<RegionSpec> specs = new ArrayList<>();
            for (RegionOption region : regions) {
                specs.add(region.load(arena, dialect));
            }
            try (Device device = open();
                    NaaClient client = client(device, specs)) {
                List<RpcResult> results = run(client, device);
                save(specs);
                report(client, device, results);
            }
        }
        return ExitCode.OK;
    }

    private Device open() {
        return bind == null ? options.openTowards(node.host()) : options.open(bind);
    }

    private NaaClient client(Device device, List<RegionSpec> specs) {
        try {
            return NaaClient.builder(node.host(), node.port())
                    .device(device)
                    .dialect(dialect)
                    .functionCode(function)
                    .regions(specs)
                    .maxRegions(MrspMessage.MAX_REGIONS)
                    .connectLimit(connectLimit())
                    .timeout(timeout)
                    .build();
        } catch (IllegalArgumentException e) {
            throw new ConsoleException(e);
        }
    }

    private Duration connectLimit() {
        boolean shorter = !timeout.isZero() && timeout.compareTo(CONNECT_LIMIT) < 0;
        return shorter ? timeout : CONNECT_LIMIT;
    }

    private List<RpcResult> run(NaaClient client, Device device) {
        requireOneResult();
        client.connect();
        client.registerRegions();
        setUpRegions(client);
        TransferProgress progress =
                new TransferProgress(client, device, spec.commandLine().getErr());
        List<RpcResult> results = new ArrayList<>();
        try {
            for (int i = 0; i < Math.max(1, repeat); i++) {
                results.add(progress.invoke());
            }
        } catch (RpcException e) {
            throw new ConsoleException(explain(e), e);
        }
        return results;
    }

    private void setUpRegions(NaaClient client) {
        try {
            client.runMrsp();
        } catch (MrspException e) {
            throw e.code() == MrspException.NO_MEMORY
                    ? new ConsoleException(
                            "the node at "
                                    + node
                                    + " has no memory for these regions; make them smaller, or"
                                    + " start the node with a larger --max-memory",
                            e)
                    : e;
        }
    }

    private void requireOneResult() {
        long results = regions.stream().flatMap(region -> region.target().stream()).count();
        if (dialect == Dialect.AP1_2023 && results != 1) {
            throw new ConsoleException(
                    "ap1-2023 returns exactly one region; give one --out or --inout, not "
                            + results);
        }
    }

    private String explain(RpcException failure) {
        int code = failure.returnCode();
        if (code == ReturnCode.NOT_AVAILABLE) {
            return "the node at "
                    + node
                    + " has no routine with function code "
                    + function
                    + "; 'outboard naa routines' lists those of 'outboard naa serve'";
        }
        Optional<RoutineSpec> routine = RoutineCatalog.ROUTINES.find(function);
        Optional<String> wanted =
                code == ReturnCode.WRONG_ARGUMENTS
                        ? routine.map(CallCommand::arguments)
                        : RoutineError.of(code).map(RoutineError::text);
        return routine.isPresent() && wanted.isPresent()
                ? routine.get().name() + ": " + wanted.get() + " (see 'outboard naa routines')"
                : String.valueOf(failure.getMessage());
    }

    private static String arguments(RoutineSpec routine) {
        return routine.arguments().stream()
                .map(argument -> "--" + argument.role() + " " + argument.name())
                .collect(Collectors.joining(", ", "it takes ", ""));
    }

    private void save(List<RegionSpec> specs) throws IOException {
        for (int i = 0; i < specs.size(); i++) {
            Optional<Path> target = regions.get(i).target();
            if (target.isPresent()) {
                RegionOption.save(specs.get(i).memory(), target.get());
            }
        }
    }

    private void report(NaaClient client, Device device, List<RpcResult> results) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                "%s at %s (%s, from %s): %s%s%n",
                RoutineCatalog.ROUTINES
                        .find(function)
                        .map(RoutineSpec::name)
                        .orElse("function " + function),
                node,
                dialect,
                device.address().getHostAddress(),
                ReturnCode.explain(results.getLast().returnCode()),
                results.size() == 1 ? "" : ", " + results.size() + " times");
        new RpcReport().setup(client).rpcs(client, results).print(out);
        if (options.stats()) {
            out.println();
            new Counters()
                    .add("device " + device.name(), device.counters())
                    .add("connection to " + node, client.counters())
                    .print(out);
        }
        out.flush();
    }
}
