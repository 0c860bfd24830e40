package dev.outboard.console.dpa;

import static java.util.stream.Collectors.joining;

import dev.outboard.dpa.flexio.KernelStatus;
import dev.outboard.dpa.nic.QueueStatus;
import dev.outboard.dpa.watch.Watched;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.JsonFile;
import dev.outboard.terminal.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard dpa ps`: what processes of the DPA do at this moment.
@Command(
        name = "ps",
        description = {
            "List the processes of a DPA that run: their threads, kernels, queues, heap, and what they have"
                    + " discarded.",
            "It asks all programs of this user that 'outboard dpa run' runs, or that call Watch.open."
        },
        footer = {
            "",
            "Examples:",
            "  outboard dpa ps",
            "  outboard dpa ps --json 4711",
            "",
            "Ends with 1 if a program does not answer, or is not there. docs/dpa.md explains what is"
                    + " listed."
        })
final class PsCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "PID",
            arity = "0..*",
            description = "Only these processes of the operating system.")
    private List<Long> pids = new ArrayList<>();

    @Option(
            names = "--json",
            description =
                    "Print JSON: an array of what status.schema.json describes; docs/dpa.md says"
                            + " where that is.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        List<String> answers = new ArrayList<>();
        List<WatchStatus> all = new ArrayList<>();
        boolean failed = false;
        for (Watched watched : WatchedPrograms.find(pids)) {
            try {
                String answer = watched.status();
                all.add(JsonFile.parse(answer, WatchStatus.class));
                answers.add(answer.strip());
            } catch (IOException | IllegalArgumentException e) {
                err.println(
                        "outboard: process %d does not answer: %s"
                                .formatted(watched.pid(), e.getMessage()));
                failed = true;
            }
        }
        if (json) {
            out.println(answers.stream().collect(joining(",\n", "[", "]")));
        } else {
            all.forEach(status -> print(status, out));
            if (all.stream().allMatch(status -> status.processes().isEmpty())) {
                out.println("No program of this user has a process of a DPA.");
            }
        }
        out.flush();
        err.flush();
        return failed ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    private static void print(WatchStatus status, PrintWriter out) {
        for (WatchStatus.App process : status.processes()) {
            out.println(
                    "PID %d, app %s, %s%s, %s"
                            .formatted(
                                    status.pid(),
                                    process.app(),
                                    process.mode(),
                                    process.profile() == null ? "" : " by " + process.profile(),
                                    process.state()));
            process.error().lines().limit(1).forEach(line -> out.println("  " + line));
            printThreads(process, out);
            printKernels(process, out);
            printQueues(process, out);
            out.println(
                    "  heap: %s of %s are allocated; discarded: %s"
                            .formatted(
                                    new ByteSize(process.heap().allocatedBytes()),
                                    new ByteSize(process.heap().sizeBytes()),
                                    process.discarded()));
            out.println();
        }
    }

    private static void printThreads(WatchStatus.App process, PrintWriter out) {
        Table table = new Table("rlllr");
        table.row("thread", "name", "activated by", "state", "activations");
        for (int number = 0; number < process.threads().size(); number++) {
            WatchStatus.Activity thread = process.threads().get(number);
            String by =
                    switch (thread.kind()) {
                        case ONCE -> "begin";
                        case HANDLER -> "events";
                        case RPC -> "calls";
                    };
            String state = thread.state().name().toLowerCase(Locale.ROOT);
            table.row(
                    number,
                    thread.name(),
                    by,
                    thread.unit() < 0 ? state : state + " on unit " + thread.unit(),
                    thread.activations());
        }
        table.print(out, "  ");
    }

    private static void printKernels(WatchStatus.App process, PrintWriter out) {
        if (process.kernels().isEmpty()) {
            return;
        }
        Table table = new Table("lrl");
        table.row("kernel", "threads", "state");
        for (KernelStatus kernel : process.kernels()) {
            table.row(kernel.function(), kernel.threads(), kernel.state());
            kernel.waits().forEach(wait -> table.row("", "", wait.text()));
        }
        table.print(out, "  ");
    }

    private static void printQueues(WatchStatus.App process, PrintWriter out) {
        if (process.queues().isEmpty()) {
            return;
        }
        Table table = new Table("rlrrrrrll");
        table.row(
                "queue",
                "kind",
                "depth",
                "written",
                "posted",
                "outstanding",
                "failed",
                "state",
                "for");
        for (QueueStatus queue : process.queues()) {
            String state = queue.error() ? "error" : queue.armed() ? "armed" : "";
            QueueStatus.Sends sends = queue.sends();
            table.row(
                    "0x%x".formatted(queue.number()),
                    queue.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    queue.depth(),
                    queue.written(),
                    sends == null ? "" : sends.posted(),
                    sends == null ? "" : sends.outstanding(),
                    sends == null ? "" : sends.failed(),
                    state,
                    sends == null ? "" : sends.purpose());
        }
        table.print(out, "  ");
    }
}
