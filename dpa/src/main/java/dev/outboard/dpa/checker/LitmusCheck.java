package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.machine.Profile;

/// Checks a litmus program: runs it under FAST rules with one seed after the other and collects the
/// findings.
///
/// ```java
/// LitmusTest test = LitmusTest.parse(text);
/// CheckReport report = LitmusCheck.of(test.variant("a").program(), "send.dpa").run(SEED, 20, 1);
/// ```
public final class LitmusCheck {
    /// Runs that the catalog's tests take at most.
    public static final int RUNS = 20;

    private final LitmusProgram program;
    private final String file;
    private final String name;

    private LitmusCheck(LitmusProgram program, String file, String name) {
        this.program = program;
        this.file = file;
        this.name = name;
    }

    /// A check of that program.
    ///
    /// @param file where it is from, for reports
    public static LitmusCheck of(LitmusProgram program, String file) {
        return new LitmusCheck(program, file, file);
    }

    /// The same check under another name than that of the file.
    public LitmusCheck named(String name) {
        return new LitmusCheck(program, file, name);
    }

    /// Runs it with the seeds from `seed` on.
    public CheckReport run(Profile profile, int runs, long seed) {
        CheckReport report = new CheckReport(name, profile);
        LitmusSites sites = new LitmusSites(program, file);
        for (long one = seed; one < seed + runs; one++) {
            Checker checker = new Checker(profile, false);
            new LitmusRun(program, sites, checker, one).run();
            report.add(checker.findings(), one);
        }
        return report;
    }
}
