package dev.outboard.bench;

import dev.outboard.bench.RpcReport.Row;
import dev.outboard.bench.comparison.Machine;
import dev.outboard.bench.comparison.WarmUp;
import dev.outboard.bench.fabric.RoundTrip;
import dev.outboard.bench.fabric.RpcPingPong;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Reporting;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `outboard bench rpc`: an RPC that computes nothing, next to plain UDP.
@Command(
        name = "rpc",
        sortOptions = false,
        description = {
            "Measure RPCs of the empty routine, and the same bytes over plain UDP in the same run.",
            "Both sides poll, so a machine needs two free processors for meaningful numbers."
        })
final class RpcCommand implements Runnable {
    private static final int WARM_UP_SHARE = 10;

    @Option(
            names = "--sizes",
            paramLabel = "SIZE",
            split = ",",
            defaultValue = "64,64KiB,1MiB,4MiB,16MiB,64MiB",
            description = "Bytes in and out, each, separated by commas. Default: ${DEFAULT-VALUE}.")
    private List<ByteSize> sizes = List.of();

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often to measure every size, in turns. Default: ${DEFAULT-VALUE}.")
    private int runs;

    @Option(
            names = "--run-time",
            paramLabel = "TIME",
            defaultValue = "400ms",
            description = "How long to measure a size in one run. Default: ${DEFAULT-VALUE}.")
    private Duration runTime = Duration.ZERO;

    @Mixin private Reporting reporting;

    @Override
    public void run() {
        Machine machine = Machine.here();
        machine.warnIfBusy(reporting::say);
        long nanos = runTime.toNanos();
        List<Subject> subjects = sizes.stream().map(Subject::new).toList();
        reporting.say("warming up");
        WarmUp.with(() -> subjects.forEach(subject -> subject.measure(nanos)));
        subjects.forEach(Subject::forget);
        for (int run = 1; run <= runs; run++) {
            reporting.say("run " + run + " of " + runs);
            subjects.forEach(subject -> subject.measure(nanos));
        }
        List<Row> rows = subjects.stream().map(Subject::row).toList();
        RpcReport report = new RpcReport(command(), machine, runs, RpcReport.METHOD, rows);
        reporting.print(report, report::print);
    }

    /// One size, measured both ways.
    private static final class Subject {
        private final long bytes;
        private Timings rpc = new Timings();
        private Timings udp = new Timings();

        Subject(ByteSize size) {
            bytes = size.bytes();
        }

        /// One run each. The two never live at the same time: each spins on two processors.
        void measure(long nanos) {
            try (RoundTrip pingPong = new UdpPingPong(bytes)) {
                measure(pingPong, udp, nanos);
            }
            try (RoundTrip call = new RpcPingPong(bytes)) {
                measure(call, rpc, nanos);
            }
        }

        void forget() {
            rpc = new Timings();
            udp = new Timings();
        }

        Row row() {
            return Row.of(bytes, rpc.summary(), udp.summary());
        }

        /// A fresh connection is slow at first: a tenth of the time does not count.
        private static void measure(RoundTrip subject, Timings timings, long nanos) {
            long start = System.nanoTime();
            long now = start;
            do {
                subject.exchange();
                now = System.nanoTime();
            } while (now - start < nanos / WARM_UP_SHARE);
            long counted = now;
            do {
                long before = now;
                subject.exchange();
                now = System.nanoTime();
                timings.add(now - before);
            } while (now - counted < nanos);
            timings.endRun();
        }
    }

    private String command() {
        String words =
                sizes.stream()
                        .map(size -> String.valueOf(size.bytes()))
                        .collect(Collectors.joining(","));
        return "outboard bench rpc --runs %d --run-time %dms --sizes %s"
                .formatted(runs, runTime.toMillis(), words);
    }
}
