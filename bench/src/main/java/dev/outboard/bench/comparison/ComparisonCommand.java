package dev.outboard.bench.comparison;

import dev.outboard.bench.comparison.ComparisonReport.Comparison;
import dev.outboard.bench.comparison.ComparisonReport.Row;
import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.terminal.Reporting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// A command that measures works: all contenders of one in turns, several rounds.
public abstract class ComparisonCommand implements Runnable {
    /// Beside more than this part of a processor for others a result is not taken,
    private static final double MOST_FOR_OTHERS = 0.05;

    /// unless so many attempts have had no better luck.
    private static final int ATTEMPTS = 4;

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

    @Mixin private Reporting reporting;

    /// For picocli.
    protected ComparisonCommand() {}

    /// What is compared; the caller closes the contenders.
    protected abstract List<Work> works();

    /// Further options that it was called with, each behind a blank.
    protected String furtherOptions() {
        return "";
    }

    @Override
    public void run() {
        Machine machine = Machine.here();
        machine.warnIfBusy(reporting::say);
        List<Work> works = works();
        try {
            List<Comparison> comparisons = new ArrayList<>();
            for (Work work : selected(works)) {
                comparisons.add(compare(work));
            }
            ComparisonReport report = new ComparisonReport(command(), machine, runs, comparisons);
            reporting.print(report, report::print);
        } finally {
            works.forEach(work -> work.contenders().forEach(Contender::close));
        }
    }

    private List<Work> selected(List<Work> all) {
        if (!only.stream().allMatch(word -> all.stream().anyMatch(w -> w.isMeantBy(word)))) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--work %s; valid: %s"
                            .formatted(
                                    String.join(",", only), all.stream().map(Work::name).toList()));
        }
        return all.stream()
                .filter(w -> only.isEmpty() || only.stream().anyMatch(w::isMeantBy))
                .toList();
    }

    private Comparison compare(Work work) {
        List<Entrant> entrants = work.contenders().stream().map(Entrant::new).toList();
        if (work.inTurns()) {
            measureInTurns(work, entrants);
        } else {
            entrants.forEach(entrant -> measureInTurns(work, List.of(entrant)));
        }
        List<Double> ours = entrants.getFirst().results;
        return new Comparison(
                work.name(),
                work.title(),
                work.unit(),
                entrants.stream().map(entrant -> entrant.row(ours)).toList());
    }

    private void measureInTurns(Work work, List<Entrant> entrants) {
        reporting.say(work.name() + ": warming up");
        WarmUp.with(() -> entrants.forEach(entrant -> entrant.warmUp(runTime)));
        for (int round = 1; round <= runs; round++) {
            reporting.say(work.name() + ": round %d of %d".formatted(round, runs));
            entrants.forEach(entrant -> entrant.measure(runTime));
        }
        entrants.forEach(entrant -> entrant.contender.close());
    }

    /// A contender and what it achieved. One that fails is not asked again; NaN stands for no
    /// result.
    private static final class Entrant {
        private final Contender contender;
        private final List<Double> results = new ArrayList<>();
        private int disturbed;
        private String problem;

        Entrant(Contender contender) {
            this.contender = contender;
            this.problem = contender.remedy();
        }

        /// Only what runs in this process gets warm by it.
        void warmUp(Duration time) {
            if (contender instanceof Ours) {
                attempt(time);
            }
        }

        void measure(Duration time) {
            double result = Double.NaN;
            boolean isDisturbed = problem.isEmpty();
            for (int i = 0; isDisturbed && i < ATTEMPTS; i++) {
                OtherPrograms others = OtherPrograms.watch();
                result = attempt(time);
                isDisturbed = problem.isEmpty() && others.processors() > MOST_FOR_OTHERS;
            }
            disturbed += isDisturbed ? 1 : 0;
            results.add(result);
        }

        private double attempt(Duration time) {
            try {
                return problem.isEmpty() ? contender.measure(time) : Double.NaN;
            } catch (MeasurementException e) {
                problem = e.toString();
                return Double.NaN;
            }
        }

        Row row(List<Double> ours) {
            return Row.of(contender.name(), results, ours, disturbed, problem);
        }
    }

    private String command() {
        return "outboard bench %s --runs %d --run-time %dms%s%s"
                .formatted(
                        spec.name(),
                        runs,
                        runTime.toMillis(),
                        only.isEmpty() ? "" : " --work " + String.join(",", only),
                        furtherOptions());
    }
}
