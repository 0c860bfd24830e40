package dev.outboard.bench.soak;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.terminal.ByteSize;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
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
    private static final int MOST_PERCENT = 50;
    private static final String LINE = "%8s %9s %10s %6s %6s %9s %7s %9s %9s %8s";

    @Spec private CommandSpec spec;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "8",
            description = "Clients at a time. Default: ${DEFAULT-VALUE}.")
    private int clients;

    @Mixin private Pace pace;

    @Option(
            names = "--loss",
            paramLabel = "PERCENT",
            defaultValue = "2",
            description = "Packets in a hundred that each device loses. Default: ${DEFAULT-VALUE}.")
    private int loss;

    @Option(
            names = "--max-size",
            paramLabel = "SIZE",
            defaultValue = "1MiB",
            description = "The largest region. Default: ${DEFAULT-VALUE}.")
    private ByteSize maxSize = new ByteSize(1 << 20);

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Decides sizes, contents, losses and who vanishes. Default: ${DEFAULT-VALUE}.")
    private long seed;

    /// For picocli.
    public SoakCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        if (clients < 1 || loss < 0 || loss > MOST_PERCENT || maxSize.bytes() < 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "valid: at least 1 client, a loss of 0 to 50, a size of at least 1");
        }
        Tally tally = new Tally();
        Memory memory = new Memory();
        try (Device device = Fabric.open(uri(seed))) {
            try (NaaServer server =
                    NaaServer.start(device, 0, RoutineCatalog.ROUTINES, options())) {
                soak(device, server, tally, memory);
            }
        }
        return verdict(tally, memory) ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    /// Clients that vanished keep their places until they are found out.
    private ServerOptions options() {
        return ServerOptions.builder()
                .anyDialect()
                .maxConnections(4 * clients)
                .probe(Duration.ofSeconds(1), Duration.ofSeconds(5))
                .observer(new ServerObserver() {})
                .build();
    }

    private String uri(long deviceSeed) {
        return "roce://auto?peer=127.0.0.1&fault=loss=%d%%25,seed=%d".formatted(loss, deviceSeed);
    }

    private void soak(Device device, NaaServer server, Tally tally, Memory memory)
            throws InterruptedException {
        CountDownLatch stop = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            long clientSeed = seed + 1_000L * (i + 1);
            SoakClient client =
                    new SoakClient(
                            device.address().getHostAddress(),
                            server.port(),
                            this::uri,
                            maxSize.bytes(),
                            clientSeed,
                            tally);
            threads.add(Thread.ofPlatform().name("soak-" + i).start(() -> client.run(stop)));
        }
        say(
                LINE.formatted(
                        "TIME",
                        "RPCS",
                        "MIB",
                        "WRONG",
                        "KILLS",
                        "SESSIONS",
                        "FAILED",
                        "HEAP",
                        "NATIVE",
                        "THREADS"));
        pace.pass(memory, elapsed -> report(elapsed, tally, memory));
        stop.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void report(String elapsed, Tally tally, Memory memory) {
        say(
                LINE.formatted(
                        elapsed,
                        tally.rpcs.sum(),
                        tally.bytes.sum() >> 20,
                        tally.wrongBytes.sum(),
                        tally.kills.sum(),
                        tally.sessions.sum(),
                        tally.failures.sum(),
                        new ByteSize(memory.heapBytes()),
                        new ByteSize(memory.nativeBytes()),
                        memory.threads()));
    }

    private boolean verdict(Tally tally, Memory memory) {
        String last = tally.lastFailure;
        if (last != null) {
            say("the last call that failed: " + last);
        }
        boolean right = tally.wrongBytes.sum() == 0 && tally.rpcs.sum() > 0;
        boolean flat = memory.isFlat();
        say(
                "%d wrong bytes in %d RPCs; memory %s"
                        .formatted(
                                tally.wrongBytes.sum(),
                                tally.rpcs.sum(),
                                flat ? "is flat" : "has grown"));
        return right && flat;
    }

    private void say(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
