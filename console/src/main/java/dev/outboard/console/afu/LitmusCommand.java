package dev.outboard.console.afu;

import dev.outboard.ccip.litmus.Litmus;
import dev.outboard.ccip.litmus.Scenario;
import dev.outboard.ccip.litmus.Variant;
import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Profile;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `outboard afu litmus`: runs the litmus tests and prints their table.
@Command(
        name = "litmus",
        description = {
            "Run the litmus tests of CCI-P memory ordering.",
            "Each is a small program of an AFU and of processor threads; outcomes that CCI-P allows"
                    + " have to occur, and others must not. Every choice of channels is a variant"
                    + " with a line of its own."
        },
        footer = {"", "Ends with 1 if a forbidden outcome occurred or an allowed one did not."})
final class LitmusCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            description =
                    "Only scenarios whose names begin like this, such as LIT-20 or PASS;"
                            + " may be repeated.")
    private List<String> scenarios = List.of();

    @Option(
            names = "--platform",
            paramLabel = "NAME",
            defaultValue = "pac_a10,integrated",
            split = ",",
            converter = PlatformName.class,
            completionCandidates = PlatformName.class,
            description =
                    "One of ${COMPLETION-CANDIDATES}; may be repeated. Default: ${DEFAULT-VALUE}.")
    private List<Profile> platforms = List.of();

    @Option(
            names = "--model",
            paramLabel = "MODEL",
            description =
                    "By which memory model: manual, what CCI-P promises, or measured, what an"
                            + " integrated platform was found to keep. Default: manual.")
    private MemoryModel model = MemoryModel.MANUAL;

    @Option(
            names = "--seeds",
            paramLabel = "COUNT",
            defaultValue = "1",
            description =
                    "Run each variant with the seeds 1 to COUNT, 40 times each, and with more until"
                            + " all that is allowed has occurred. Default: ${DEFAULT-VALUE}.")
    private int seeds;

    @Option(
            names = "--exhaustive",
            description =
                    "Go through all orders too, and list all outcomes that can be and how often"
                            + " each occurred.")
    private boolean exhaustive;

    @Override
    public Integer call() {
        if (seeds < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--seeds " + seeds + "; valid are 1 and more");
        }
        List<Variant> variants =
                Scenario.all().stream()
                        .filter(this::isChosen)
                        .flatMap(scenario ->
                                platforms.stream().map(on -> Variant.of(scenario, on, model)))
                        .flatMap(List::stream)
                        .toList();
        if (variants.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "no scenario of "
                            + String.join(", ", scenarios)
                            + " runs on "
                            + platforms.stream()
                                    .map(PlatformName::of)
                                    .collect(Collectors.joining(", "))
                            + "; there are "
                            + Scenario.all().stream()
                                    .map(Scenario::name)
                                    .collect(Collectors.joining(", ")));
        }
        PrintWriter out = spec.commandLine().getOut();
        boolean passed =
                Litmus.table(
                        variants,
                        seeds,
                        exhaustive,
                        line -> {
                            out.println(line);
                            out.flush();
                        });
        return passed ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    /// LIT-1 begins the name LIT-1b, and not LIT-10.
    private boolean isChosen(Scenario scenario) {
        return scenarios.isEmpty()
                || scenarios.stream()
                        .anyMatch(name -> scenario.name().matches("\\Q" + name + "\\E(\\D.*)?"));
    }
}
