package dev.outboard.bench.soak;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.terminal.ByteSize;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `outboard bench soak`: many clients of one node for a long time, over a network that loses
/// packets, until the time is over or somebody ends it.
@Command(
        name = "soak",
        sortOptions = false,
        description = {
            "Call one node from many clients for a long time.",
            "In both dialects and all sizes, over a loopback that loses packets. Some clients close",
            "their device in the middle of a call.",
            "Every byte that comes back is checked. Prints a line of figures per interval; ends with",
            "exit code 1 if a byte was wrong or the memory of this process grew."
        },
        footer = {
            "",
            "HEAP is what lives in the Java heap after a collection, NATIVE what is resident beside it."
        })
public final class SoakCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ClientSoak soak;

    @Option(
            names = "--max-size",
            paramLabel = "SIZE",
            defaultValue = "1MiB",
            description = "The largest region. Default: ${DEFAULT-VALUE}.")
    private ByteSize maxSize = new ByteSize(1 << 20);

    /// For picocli.
    public SoakCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        if (!soak.isValid() || maxSize.bytes() < 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "valid: at least 1 client, a loss of 0 to 50, a size of at least 1");
        }
        try (Device device = Fabric.open(soak.uri(soak.seed()))) {
            try (NaaServer server =
                    NaaServer.start(device, 0, RoutineCatalog.ROUTINES, options())) {
                soak.run(clientSeed -> client(device, server, clientSeed)::run);
            }
        }
        return soak.verdict() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    /// Clients that vanished keep their places until they are found out.
    private ServerOptions options() {
        return ServerOptions.builder()
                .anyDialect()
                .maxConnections(4 * soak.clients())
                .probe(Duration.ofSeconds(1), Duration.ofSeconds(5))
                .observer(new ServerObserver() {})
                .build();
    }

    private SoakClient client(Device device, NaaServer server, long clientSeed) {
        return new SoakClient(
                device.address().getHostAddress(),
                server.port(),
                soak::uri,
                maxSize.bytes(),
                clientSeed,
                soak.tally);
    }
}
