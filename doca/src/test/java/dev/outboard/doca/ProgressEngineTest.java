package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressEngineTest {
    private int asked;

    @Test
    void progressesUntilTheConditionHolds() {
        try (ProgressEngine engine = ProgressEngine.create()) {
            engine.progressUntil(() -> ++asked == 3, Duration.ofSeconds(60));
        }
        assertThat(asked).isEqualTo(3);
    }

    @Test
    void aConditionThatNeverHoldsEndsWithTheTime() {
        try (ProgressEngine engine = ProgressEngine.create()) {
            Refusals.assertRefused(
                    DocaError.TIME_OUT,
                    () -> engine.progressUntil(() -> false, Duration.ofMillis(5)));
        }
    }
}
