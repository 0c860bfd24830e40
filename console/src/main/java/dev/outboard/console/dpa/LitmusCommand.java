package dev.outboard.console.dpa;

import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusReport;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.machine.Profile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard dpa litmus`: explores litmus tests of the DPA's memory.
@Command(
        name = "litmus",
        description = {
            "Find all outcomes of litmus tests of the DPA's memory, and compare them with those that"
                    + " the tests expect.",
            "Without a file, the tests of the catalog are explored. A test that expects nothing has"
                    + " its outcomes listed."
        },
        footer = {
            "",
            "Examples:",
            "  outboard dpa litmus",
            "  outboard dpa litmus --profile seed,paranoid send.dpa",
            "",
            "Ends with 1 if an outcome is unexpected or missing, and with 2 if a file cannot be"
                    + " understood.",
            "docs/guide/dpa-litmus.md explains the files."
        })
final class LitmusCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            arity = "0..*",
            description =
                    "A litmus test: *.dpa, or *.litmus in the form of the herd tools; or a directory"
                            + " of such files.")
    private List<Path> files = List.of();

    @Option(
            names = "--profile",
            paramLabel = "PROFILE",
            split = ",",
            description =
                    "By which rules: some of ${COMPLETION-CANDIDATES}. Default: each for which a test"
                            + " expects something, and else SEED.")
    private Set<Profile> profiles = new LinkedHashSet<>();

    @Option(
            names = "--json",
            description =
                    "Print JSON, as litmus-report.schema.json describes it; the guide says where that"
                            + " is.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        LitmusReport report = new LitmusReport();
        if (files.isEmpty()) {
            for (LitmusTest test : LitmusCatalog.all()) {
                explore(report, test.name(), test);
            }
        } else {
            for (LitmusFile file : LitmusFile.read(spec.commandLine(), files)) {
                explore(report, file.path().toString(), file.test());
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? report.json() : report);
        out.flush();
        return report.passes() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private void explore(LitmusReport report, String name, LitmusTest test) {
        try {
            report.explore(name, test, profiles);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), name + ": " + e.getMessage(), e);
        }
    }
}
