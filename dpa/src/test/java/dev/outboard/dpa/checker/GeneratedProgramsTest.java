package dev.outboard.dpa.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.litmus.Explorer;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Compares the checker, which sees sequentially consistent runs only, with the explorer, which
/// sees everything that can happen: a program is wrong if it has an outcome that no sequentially
/// consistent run has.
class GeneratedProgramsTest {
    private static final int FIRST_RUNS = 40;

    /// Runs until an outcome is taken for one that no sequentially consistent run has, if the
    /// checker says so too, and if it does not.
    private static final int RUNS = 200;

    private static final int MOST_RUNS = 12_000;

    @Test
    @Requirement("DPA-CHK-1")
    void findsNothingInCorrectProgramsAndSomethingInEachWrongOne() {
        AtomicInteger correct = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        Seeds.campaign(
                1_500,
                seed -> {
                    Program program = new Program(seed, 0.9);
                    CheckReport report = program.check(Profile.SEED);
                    if (!program.isRight(Profile.SEED, report)) {
                        wrong.incrementAndGet();
                        assertThat(report.has(Severity.ERROR)).as(program.text).isTrue();
                    } else if (!program.isRight(Profile.PARANOID, report)) {
                        assertThat(report.rows()).as(program.text).containsExactly("7");
                    } else {
                        correct.incrementAndGet();
                        assertThat(report.entries()).as(program.text).isEmpty();
                    }
                });
        if (Long.getLong("seed") == null) {
            assertThat(correct.get()).isGreaterThan(1_000);
            assertThat(wrong.get()).isGreaterThan(200);
        }
    }

    @Test
    @Requirement("DPA-CHK-7")
    void agreesWithTheExplorerInEachProfile() {
        Seeds.campaign(
                300,
                seed -> {
                    Program program = new Program(seed, 0.6);
                    for (Profile profile : Profile.values()) {
                        if (profile != Profile.BF3_LINES) {
                            CheckReport report = program.check(profile);
                            assertThat(report.has(Severity.ERROR))
                                    .as(profile + "\n" + program.text)
                                    .isNotEqualTo(program.isRight(profile, report));
                        }
                    }
                });
    }

    private static final class Program {
        private final String text;
        private final LitmusProgram program;
        private final LitmusSites sites;
        private final Set<Outcome> consistent = new TreeSet<>();

        Program(long seed, double care) {
            text = new GeneratedPrograms(new SplittableRandom(seed), care).next();
            program = GeneratedPrograms.parse(text);
            sites = new LitmusSites(program, "generated");
            for (long run = 1; run <= FIRST_RUNS; run++) {
                run(run);
            }
        }

        private void run(long seed) {
            consistent.add(new LitmusRun(program, sites, Observer.NONE, seed).run());
        }

        CheckReport check(Profile profile) {
            return LitmusCheck.of(program, "generated").run(profile, LitmusCheck.RUNS, 1);
        }

        boolean isRight(Profile profile, CheckReport report) {
            Set<Outcome> outcomes = Explorer.explore(program, profile).outcomes();
            int most = report.isClean() ? MOST_RUNS : RUNS;
            // Random walks are every fourth seed.
            for (long run = 4; run < most && !consistent.containsAll(outcomes); run += 4) {
                run(run);
            }
            return consistent.containsAll(outcomes);
        }
    }
}
