package dev.outboard.bench.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Launches and tasks whose end is waited for.
class LaunchTimeTest {
    private static final long NANOS = 20_000_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 128})
    void everyLaunchEnds(int threads) {
        try (LaunchTime kernel = new LaunchTime(threads);
                ExecutorTime pool = new ExecutorTime(threads)) {
            assertThat(kernel.run(NANOS)).isPositive();
            assertThat(kernel.run(NANOS)).isPositive();
            assertThat(pool.run(NANOS)).isPositive();
        }
    }
}
