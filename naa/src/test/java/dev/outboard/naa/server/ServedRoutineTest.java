package dev.outboard.naa.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.ReturnCode;
import org.junit.jupiter.api.Test;

/// Where a routine runs.
class ServedRoutineTest {
    @Test
    void aRoutineThatIsInterruptedNowAndThenStaysOnThePollingThread() {
        ServedRoutine routine =
                ServedRoutine.of(
                        RoutineSpec.of(1, "short", _ -> ReturnCode.SUCCESS).asShort(),
                        new RoutineUsers());
        for (int run = 0; run < 10_000; run++) {
            if (run % 17 == 0) {
                assertThat(routine.overran()).isFalse();
            } else {
                routine.keptShort();
            }
        }
        assertThat(routine.isShort()).isTrue();
        boolean moved = false;
        for (int run = 0; run < 200 && !moved; run++) {
            moved = run % 10 == 0 && routine.overran();
            if (run % 10 != 0) {
                routine.keptShort();
            }
        }
        assertThat(routine.isShort()).isFalse();
    }
}
