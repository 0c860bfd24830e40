package dev.outboard.dpa.litmus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.CheckReport;
import dev.outboard.dpa.checker.LitmusCheck;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import org.junit.jupiter.api.Test;

class CheckedCorrectProgramsTest {
    private static final int MOST_IDIOMS = 6;

    @Test
    @Requirement({"DPA-CHK-1", "DPA-CHK-3", "DPA-CHK-5"})
    void theCheckerFindsNothingInProgramsThatAreCorrectByConstruction() {
        Seeds.campaign(
                1_000,
                seed -> {
                    int idioms = 1 + (int) (seed % MOST_IDIOMS);
                    LitmusTest test = new CorrectPrograms(seed).next(idioms);
                    CheckReport report =
                            LitmusCheck.of(test.variants().getFirst().program(), test.name())
                                    .run(Profile.SEED, LitmusCheck.RUNS, 1);
                    assertThat(report.toString()).as(test.toString()).contains("nothing found");
                });
    }
}
