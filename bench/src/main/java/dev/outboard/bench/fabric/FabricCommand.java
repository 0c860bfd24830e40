package dev.outboard.bench.fabric;

import dev.outboard.bench.fabric.Contender.MeasurementException;
import dev.outboard.bench.fabric.FabricReport.Comparison;
import dev.outboard.bench.fabric.FabricReport.Row;
import dev.outboard.bench.report.Machine;
import dev.outboard.bench.report.Reporting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `outboard bench fabric`: latency, bandwidth and message rate next to floors and peers.
@Command(
        name = "fabric",
        sortOptions = false,
        description = {
            "Measure the RoCEv2 stack over loopback, interleaved with floors (the same packets",
            "without a protocol, in C and in Java) and with every peer that is installed.",
            "Both sides poll, so a machine needs two free processors for meaningful numbers."
        },
        footer = {
            "",
            "Works: rpc, rpc-blocking, rpc-4m, verbs, bulk-1m, bulk-64m, operations, rate.",
            "Floors and peers on the JVM are built by: ./mvnw -pl bench/peers package -DskipTests"
        })
public final class FabricCommand implements Runnable {
    private static final int WARM_UPS = 3;

    @Spec private CommandSpec spec;

    @Option(
            names = "--work",
            paramLabel = "NAME",
            split = ",",
            description = "Only these works, separated by commas.")
    private List<String> only = List.of();

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often to measure everything, in turns. Default: ${DEFAULT-VALUE}.")
    private int runs;

    @Option(
            names = "--run-time",
            paramLabel = "TIME",
            defaultValue = "500ms",
            description = "How long to measure one thing in a round. Default: ${DEFAULT-VALUE}.")
    private Duration runTime = Duration.ZERO;

    @Option(names = "--no-peers", description = "Only Outboard and the floors.")
    private boolean withoutPeers;

    @Mixin private Reporting reporting;

    /// For picocli.
    public FabricCommand() {}

    @Override
    public void run() {
        Machine machine = Machine.here();
        reporting.warnIfBusy(machine);
        try (Works works = new Works(Home.here())) {
            List<Comparison> comparisons = new ArrayList<>();
            for (Work work : selected(works.all())) {
                comparisons.add(compare(work));
            }
            FabricReport report = new FabricReport(command(), machine, runs, comparisons);
            reporting.print(report, report::print);
        }
    }

    private List<Work> selected(List<Work> all) {
        List<String> names = all.stream().map(Work::name).toList();
        if (!names.containsAll(only)) {
            throw new ParameterException(
                    spec.commandLine(), "--work " + String.join(",", only) + "; valid: " + names);
        }
        return all.stream().filter(w -> only.isEmpty() || only.contains(w.name())).toList();
    }

    private Comparison compare(Work work) {
        List<Entrant> entrants =
                work.contenders().stream()
                        .filter(c -> !withoutPeers || !isPeer(c))
                        .map(Entrant::new)
                        .toList();
        for (int round = 0; round < WARM_UPS; round++) {
            reporting.say(work.name() + ": warming up");
            entrants.forEach(entrant -> entrant.warmUp(runTime));
        }
        for (int round = 1; round <= runs; round++) {
            reporting.say(work.name() + ": round %d of %d".formatted(round, runs));
            entrants.forEach(entrant -> entrant.measure(runTime));
        }
        entrants.forEach(entrant -> entrant.contender.close());
        List<Double> ours = entrants.getFirst().results;
        return new Comparison(
                work.name(),
                work.title(),
                work.unit(),
                entrants.stream().map(entrant -> entrant.row(ours)).toList());
    }

    private static boolean isPeer(Contender contender) {
        return !(contender instanceof Ours) && !contender.name().startsWith("same packets");
    }

    /// A contender and what it achieved. One that fails is not asked again; NaN stands for no
    /// result.
    private static final class Entrant {
        private final Contender contender;
        private final List<Double> results = new ArrayList<>();
        private String problem;

        Entrant(Contender contender) {
            this.contender = contender;
            this.problem = contender.remedy();
        }

        /// Only what runs in this process gets warm by it.
        void warmUp(Duration time) {
            if (contender instanceof Ours) {
                measure(time);
                results.clear();
            }
        }

        void measure(Duration time) {
            double result = Double.NaN;
            if (problem.isEmpty()) {
                try {
                    result = contender.measure(time);
                } catch (MeasurementException e) {
                    problem = e.toString();
                }
            }
            results.add(result);
        }

        Row row(List<Double> ours) {
            return Row.of(contender.name(), results, ours, problem);
        }
    }

    private String command() {
        return "outboard bench fabric --runs %d --run-time %dms%s%s"
                .formatted(
                        runs,
                        runTime.toMillis(),
                        only.isEmpty() ? "" : " --work " + String.join(",", only),
                        withoutPeers ? " --no-peers" : "");
    }
}
