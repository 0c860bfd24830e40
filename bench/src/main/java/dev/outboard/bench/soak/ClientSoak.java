package dev.outboard.bench.soak;

import dev.outboard.terminal.ByteSize;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// What soaks of nodes have in common: how many clients for how long, over a network that loses how
/// many packets, and a line of figures per interval.
final class ClientSoak {
    private static final int MOST_PERCENT = 50;
    private static final String LINE = "%8s %9s %10s %6s %6s %9s %7s %9s %9s %8s";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

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

    final Tally tally = new Tally();
    final Memory memory = new Memory();

    /// Whether what was asked for is possible.
    boolean isValid() {
        return clients >= 1 && loss >= 0 && loss <= MOST_PERCENT;
    }

    int clients() {
        return clients;
    }

    long seed() {
        return seed;
    }

    /// The device for a seed.
    String uri(long deviceSeed) {
        return "roce://auto?peer=127.0.0.1&fault=loss=%d%%25,seed=%d".formatted(loss, deviceSeed);
    }

    /// Says how it went.
    ///
    /// @return whether there were RPCs, all right, and the memory is flat
    boolean verdict() {
        String last = tally.lastFailure;
        if (last != null) {
            say("the last call that failed: " + last);
        }
        boolean flat = memory.isFlat();
        say(
                "%d wrong bytes in %d RPCs; memory %s"
                        .formatted(
                                tally.wrongBytes.sum(),
                                tally.rpcs.sum(),
                                flat ? "is flat" : "has grown"));
        return tally.wrongBytes.sum() == 0 && tally.rpcs.sum() > 0 && flat;
    }

    /// Runs the clients, each on a thread of its own, until the time is over.
    ///
    /// @param client makes one of a seed; it goes on until it is told to stop
    void run(LongFunction<Consumer<CountDownLatch>> client) throws InterruptedException {
        CountDownLatch stop = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            Consumer<CountDownLatch> one = client.apply(seed + 1_000L * (i + 1));
            threads.add(Thread.ofPlatform().name("soak-" + i).start(() -> one.accept(stop)));
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
        pace.pass(memory, elapsed -> report(elapsed));
        stop.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void report(String elapsed) {
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

    void say(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
