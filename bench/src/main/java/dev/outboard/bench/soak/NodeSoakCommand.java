package dev.outboard.bench.soak;

import dev.outboard.bench.node.TargetNode;
import dev.outboard.node.offload.Target;
import dev.outboard.terminal.ByteSize;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `outboard bench soak-node`: many clients of nodes on all targets for a long time, over a network
/// that loses packets, until the time is over or somebody ends it.
@Command(
        name = "soak-node",
        sortOptions = false,
        description = {
            "Have edges found on all targets of nodes by many clients for a long time.",
            "In all sizes, over a loopback that loses packets. Some clients close their device in the",
            "middle of a call. Every byte that comes back is checked. Prints a line of figures per",
            "interval; ends with exit code 1 if a byte was wrong or the memory of this process grew."
        },
        footer = {
            "",
            "HEAP is what lives in the Java heap after a collection, NATIVE what is resident beside it."
        })
public final class NodeSoakCommand implements Callable<Integer> {
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
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Decides sizes, contents, losses and who vanishes. Default: ${DEFAULT-VALUE}.")
    private long seed;

    /// For picocli.
    public NodeSoakCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        if (clients < 1 || loss < 0 || loss > MOST_PERCENT) {
            throw new ParameterException(
                    spec.commandLine(), "valid: at least 1 client, a loss of 0 to 50");
        }
        Tally tally = new Tally();
        Memory memory = new Memory();
        Map<Target, TargetNode> nodes = new EnumMap<>(Target.class);
        try {
            for (Target target : Target.values()) {
                nodes.put(target, new TargetNode(uri(seed + target.ordinal()), "edges", target));
            }
            soak(nodes, tally, memory);
        } finally {
            nodes.values().forEach(TargetNode::close);
        }
        return verdict(tally, memory) ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private String uri(long deviceSeed) {
        return "roce://auto?peer=127.0.0.1&fault=loss=%d%%25,seed=%d".formatted(loss, deviceSeed);
    }

    private void soak(Map<Target, TargetNode> nodes, Tally tally, Memory memory)
            throws InterruptedException {
        CountDownLatch stop = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            EdgeClient client =
                    new EdgeClient(
                            List.copyOf(nodes.values()), this::uri, seed + 1_000L * (i + 1), tally);
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
        if (tally.lastFailure != null) {
            say("last failure: " + tally.lastFailure);
        }
        say("wrong bytes: %d".formatted(tally.wrongBytes.sum()));
        say("memory: " + (memory.isFlat() ? "flat" : "grew"));
        return tally.wrongBytes.sum() == 0 && memory.isFlat();
    }

    private void say(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
