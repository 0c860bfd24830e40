package dev.outboard.console.dpa;

import dev.outboard.dpa.checker.CheckReport;
import dev.outboard.dpa.checker.Checked;
import dev.outboard.dpa.checker.LitmusCheck;
import dev.outboard.dpa.checker.LitmusRepair;
import dev.outboard.dpa.checker.ProgramCheck;
import dev.outboard.dpa.checker.ProgramRepair;
import dev.outboard.dpa.checker.Repair;
import dev.outboard.dpa.litmus.Variant;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.dpa.process.DpaProgram;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard dpa check`: looks for missing fences, writebacks and invalidations.
@Command(
        name = "check",
        description = {
            "Look for missing fences, writebacks and invalidations in programs of a DPA.",
            "A few runs find a mistake also if nothing went wrong in them. Each finding says which"
                    + " line is missing, and between which two lines it belongs."
        },
        footer = {
            "",
            "Examples:",
            "  outboard dpa check send.dpa",
            "  outboard dpa check --fix --profile paranoid send.dpa",
            "  outboard dpa check --program com.example.Send send.jar",
            "",
            "Ends with 1 if anything was found, and with 2 if a file cannot be understood.",
            "docs/guide/dpa-litmus.md explains the files, and what is found in them."
        })
final class CheckCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description =
                    "A litmus test, *.dpa or *.litmus, a directory of such files, or with --program a JAR or a"
                            + " directory of classes.")
    private List<Path> files = List.of();

    @Option(
            names = "--program",
            paramLabel = "CLASS",
            description =
                    "The program: a class of the JARs, with its package, that implements"
                            + " dev.outboard.dpa.process.DpaProgram.")
    private Optional<String> program = Optional.empty();

    @Option(
            names = "--profile",
            paramLabel = "PROFILE",
            defaultValue = "SEED",
            description =
                    "By which rules fences and cache operations are judged: one of"
                            + " ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Profile profile = Profile.SEED;

    @Option(
            names = "--runs",
            paramLabel = "COUNT",
            defaultValue = "" + LitmusCheck.RUNS,
            description = "How many runs of each program. Default: ${DEFAULT-VALUE}.")
    private int runs;

    @Option(
            names = "--seed",
            paramLabel = "SEED",
            defaultValue = "1",
            description =
                    "The seed of the first run; each later one has the next seed. Default:"
                            + " ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--fix",
            description = "Propose the smallest repair, and prove it if the program is small.")
    private boolean fix;

    @Option(
            names = "--json",
            description =
                    "Print JSON, as check-report.schema.json describes it; the guide says where that"
                            + " is.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (runs < 1) {
            throw usage("--runs is %d; valid are 1 and more".formatted(runs));
        }
        List<Checked> all = new ArrayList<>();
        if (program.isPresent()) {
            all.add(
                    new ProgramFiles(spec.commandLine(), files)
                            .with(program.get(), this::checkProgram));
        } else {
            for (Path file : files) {
                if (file.toString().endsWith(".jar")) {
                    throw usage(file + " is a JAR: --program says which class of it to check");
                }
            }
            for (LitmusFile file : LitmusFile.read(spec.commandLine(), files)) {
                checkTest(file, all);
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.print(Checked.json(all));
        } else {
            all.forEach(out::println);
        }
        out.flush();
        boolean clean = all.stream().allMatch(checked -> checked.report().isClean());
        return clean ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private ParameterException usage(String problem) {
        return new ParameterException(spec.commandLine(), problem);
    }

    private void checkTest(LitmusFile file, List<Checked> all) {
        if (fix && file.isHerd()) {
            throw usage("--fix mends files *.dpa only, and not " + file.path());
        }
        for (Variant variant : file.test().variants()) {
            String name = (file.path() + " " + variant.name()).strip();
            CheckReport report =
                    LitmusCheck.of(variant.program(), file.path().toString())
                            .named(name)
                            .run(profile, runs, seed);
            Optional<Repair> repair =
                    fix && !report.isClean()
                            ? Optional.of(
                                    LitmusRepair.find(
                                            file.text(),
                                            variant.name(),
                                            file.path().toString(),
                                            report,
                                            seed))
                            : Optional.empty();
            all.add(new Checked(report, repair));
        }
    }

    private Checked checkProgram(Class<?> type) {
        ProgramCheck check = ProgramCheck.of(type.asSubclass(DpaProgram.class));
        CheckReport report = check.run(profile, runs, seed);
        Optional<Repair> repair =
                fix && !report.isClean()
                        ? Optional.of(
                                ProgramRepair.find(
                                        edits -> check.run(profile, runs, seed, edits),
                                        report,
                                        ProgramEdits.NONE))
                        : Optional.empty();
        return new Checked(report, repair);
    }
}
