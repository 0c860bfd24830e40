package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.Told.HEAP;
import static dev.outboard.dpa.checker.Told.POLL;
import static dev.outboard.dpa.checker.Told.T1;
import static dev.outboard.dpa.checker.Told.T2;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What is found at the same places is one finding, with all that it is true of.
class CheckReportTest {
    private final CheckReport report = new CheckReport("loop", Profile.SEED);

    /// Threads that run the same code wait in the same loop for ever.
    private void waitIn(int... threads) {
        Told told = new Told().start();
        for (int thread : threads) {
            told.checker.begin(thread, false, 0);
            told.checker.load(thread, HEAP + 64L * thread, 8, POLL);
        }
        told.checker.stuck(threads);
        report.add(told.end(), report.runs());
    }

    @Test
    @Requirement("DPA-CHK-21")
    void aLoopThatTwoThreadsShareIsReportedOnceAndNamesBoth() {
        waitIn(T1, T2);
        assertThat(report.entries())
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.finding().second().actor()).isEqualTo("T1");
                    assertThat(entry.others()).containsExactly("T2");
                    assertThat(entry.count()).isEqualTo(1);
                });
        assertThat(report.toString())
                .contains("%n  The same at the same places: T2.%n  Seed 0 shows".formatted())
                .contains("loop: 1 error, 0 warnings in 1 run (SEED)");
        assertThat(Checked.json(List.of(new Checked(report, Optional.empty()))))
                .contains("\"others\": [\n            \"T2\"\n          ]");
    }

    /// Who is found first differs from run to run.
    @Test
    @Requirement("DPA-CHK-21")
    void runsThatFindOtherThreadsAtAPlaceAddThem() {
        waitIn(T2);
        waitIn(T1);
        waitIn(T1, T2);
        assertThat(report.entries())
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.finding().second().actor()).isEqualTo("T2");
                    assertThat(entry.others()).containsExactly("T1");
                    assertThat(entry.count()).isEqualTo(3);
                });
    }
}
