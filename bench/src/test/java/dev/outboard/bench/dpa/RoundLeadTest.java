package dev.outboard.bench.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Rounds of RDMA with another process, of both kinds. A message that is another one than expected
/// ends them.
class RoundLeadTest {
    @ParameterizedTest
    @CsvSource({"kernel, 64", "kernel, 1048576", "tasks, 64", "tasks, 1048576"})
    void everyMessageComes(String kind, int messageBytes) {
        try (RoundLead lead = new RoundLead("rounds", kind, messageBytes)) {
            assertThat(lead.measure(Duration.ofMillis(20))).isPositive();
            assertThat(lead.measure(Duration.ofMillis(20))).isPositive();
        }
    }
}
