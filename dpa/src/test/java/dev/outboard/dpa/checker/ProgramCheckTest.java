package dev.outboard.dpa.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;
import org.junit.jupiter.api.Test;

class ProgramCheckTest {
    static final class Endless implements DpaProgram {
        @Override
        public void setUp(DpaProcess process) {
            long word = process.heap().allocate(8);
            process.thread(
                    "counter",
                    thread -> {
                        for (long i = 0; i >= 0; i++) {
                            thread.store64(word, i);
                        }
                    });
        }
    }

    @Test
    void oneRunOfAProgramThatNeverEndsIsEnough() {
        CheckReport report =
                ProgramCheck.of(Endless.class).run(Profile.SEED, 20, 7, ProgramEdits.NONE, 1000);
        assertThat(report.problems())
                .containsExactly("1000 operations were not enough for counter");
        assertThat(report.toString()).contains("Seed 7 shows it again.", "1 problem in 1 run");
    }
}
