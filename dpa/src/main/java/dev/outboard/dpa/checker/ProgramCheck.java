package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;
import java.util.List;

/// Checks a program of kernels: runs it under FAST rules with one seed after the other and collects
/// the findings.
///
/// ```java
/// CheckReport report = ProgramCheck.of(EchoProgram.class).run(Profile.SEED, 20, 1);
/// ```
public final class ProgramCheck {
    private final Class<? extends DpaProgram> program;
    private final List<Class<?>> others;
    private final MachineOptions options;
    private final ProgramImage image;

    private ProgramCheck(
            Class<? extends DpaProgram> program,
            List<Class<?>> others,
            MachineOptions options,
            ProgramImage image) {
        this.program = program;
        this.others = others;
        this.options = options;
        this.image = image;
    }

    /// A check of that program on the machine of the catalog.
    ///
    /// @param others classes that belong to the program, beside those nested in its outermost class
    public static ProgramCheck of(Class<? extends DpaProgram> program, Class<?>... others) {
        return new ProgramCheck(
                program, List.of(others), MachineOptions.DEFAULT, ProgramImage.EMPTY);
    }

    /// The same on another machine, from another image.
    public ProgramCheck on(MachineOptions options, ProgramImage image) {
        return new ProgramCheck(program, others, options, image);
    }

    /// Runs it with the seeds from `seed` on, until one of the runs reaches its limit, or the
    /// watchdog ends it.
    public CheckReport run(Profile profile, int runs, long seed) {
        return run(profile, runs, seed, ProgramEdits.NONE);
    }

    /// Runs it with changes.
    public CheckReport run(Profile profile, int runs, long seed, ProgramEdits edits) {
        return run(profile, runs, seed, edits, RunMode.DEFAULT_LIMIT_OPERATIONS);
    }

    CheckReport run(
            Profile profile, int runs, long seed, ProgramEdits edits, long limitOperations) {
        CheckReport report = new CheckReport(program.getName(), profile);
        for (long one = seed; one < seed + runs; one++) {
            Checker checker = new Checker(profile, false);
            RunMode mode =
                    RunMode.check(checker, one)
                            .withEdits(edits)
                            .withLimitOperations(limitOperations);
            DpaProcess process = DpaProcess.open(options, image, mode);
            process.load(program, others.toArray(Class<?>[]::new)).setUp(process);
            RunResult result = process.run();
            report.add(checker.findings(), one);
            String who = String.join(", ", result.stuck());
            switch (result.end()) {
                case DONE -> {}
                case FAULT -> {
                    CrashReport crash = result.crash().orElseThrow();
                    report.addProblem(crash.text(), one);
                    if (crash.fault() == Fault.WATCHDOG) {
                        return report;
                    }
                }
                case STUCK -> report.addProblem("These wait for ever: " + who, one);
                case LIMIT -> {
                    report.addProblem(
                            "%d operations were not enough for %s".formatted(limitOperations, who),
                            one);
                    return report;
                }
            }
        }
        return report;
    }
}
