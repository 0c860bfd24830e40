package dev.outboard.bench.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Echoes from another process, on both kinds of ends.
class EchoClientTest {
    @ParameterizedTest
    @CsvSource({"handler, 1", "handler, 8", "handler, 32", "verbs, 1", "verbs, 32"})
    void everyMessageComesBack(String end, int inFlight) {
        try (EchoClient client = new EchoClient("an echo", end, inFlight)) {
            assertThat(client.measure(Duration.ofMillis(20))).isPositive();
        }
    }
}
