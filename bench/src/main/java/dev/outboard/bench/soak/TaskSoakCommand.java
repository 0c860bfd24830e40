package dev.outboard.bench.soak;

import dev.outboard.terminal.ByteSize;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `outboard bench soak-doca`: DOCA tasks of many threads for a long time, until the time is over
/// or somebody ends it.
@Command(
        name = "soak-doca",
        sortOptions = false,
        description = {
            "Let threads use each other's memory through tasks for a long time.",
            "With a progress engine each, all on one device, they send, write, read and add. Every",
            "message, read and atomic is looked at, and every completion counted. Prints a line of",
            "figures per interval; ends with exit code 1 if anything was lost, came twice or was",
            "wrong, or the memory of this process grew."
        },
        footer = {
            "",
            "HEAP is what lives in the Java heap after a collection, NATIVE what is resident beside it."
        })
public final class TaskSoakCommand implements Callable<Integer> {
    private static final int MOST_PERCENT = 20;
    private static final int MOST_THREADS = 64;
    private static final String LINE = "%8s %12s %12s %9s %6s %7s %9s %9s";

    @Spec private CommandSpec spec;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "8",
            description = "Threads. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Mixin private Pace pace;

    @Option(
            names = "--loss",
            paramLabel = "PERCENT",
            defaultValue = "0",
            description = {
                "Packets in a hundred that the device loses; as many come twice, and as many late.",
                "Default: ${DEFAULT-VALUE}."
            })
    private int loss;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Decides which packets. Default: ${DEFAULT-VALUE}.")
    private long seed;

    /// For picocli.
    public TaskSoakCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        if (threads < 1 || threads > MOST_THREADS || loss < 0 || loss > MOST_PERCENT) {
            throw new ParameterException(
                    spec.commandLine(), "valid: 1 to 64 threads, a loss of 0 to 20");
        }
        TaskTally tally = new TaskTally();
        Memory memory = new Memory();
        try (TaskRing ring = new TaskRing(uri(), threads, tally)) {
            ring.start();
            soak(tally, memory);
        }
        return verdict(tally, memory) ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private String uri() {
        String reachable = "roce://auto?peer=127.0.0.1";
        return loss == 0
                ? reachable
                : reachable
                        + "&fault=loss=%1$d%%25,duplicate=%1$d%%25,reorder=%1$d%%25,seed=%2$d"
                                .formatted(loss, seed);
    }

    private void soak(TaskTally tally, Memory memory) throws InterruptedException {
        say(
                LINE.formatted(
                        "TIME", "TASKS", "MESSAGES", "MIB", "WRONG", "FAILED", "HEAP", "NATIVE"));
        pace.pass(memory, elapsed -> report(elapsed, tally, memory));
    }

    private void report(String elapsed, TaskTally tally, Memory memory) {
        say(
                LINE.formatted(
                        elapsed,
                        tally.completed.sum(),
                        tally.received.sum(),
                        tally.bytes.sum() >> 20,
                        tally.wrong.sum(),
                        tally.failures.sum(),
                        new ByteSize(memory.heapBytes()),
                        new ByteSize(memory.nativeBytes())));
    }

    private boolean verdict(TaskTally tally, Memory memory) {
        String last = tally.lastFailure;
        if (last != null) {
            say("the last failure: " + last);
        }
        boolean flat = memory.isFlat();
        say(
                "%d of %d tasks completed, %d of %d messages arrived, %d were wrong; memory %s"
                        .formatted(
                                tally.completed.sum(),
                                tally.submitted.sum(),
                                tally.received.sum(),
                                tally.sent.sum(),
                                tally.wrong.sum(),
                                flat ? "is flat" : "has grown"));
        return tally.isComplete() && flat;
    }

    private void say(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
