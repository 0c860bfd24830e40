package dev.outboard.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MetricsEndpointTest {
    @Test
    void hasOneTypePerMetric() {
        Map<String, Long> counters =
                new TreeMap<>(
                        Map.of(
                                "routine.b.moved", 1L,
                                "routine.a.moved", 0L,
                                "queue-pair.bytes-received", 7L));

        assertThat(MetricsEndpoint.text(counters))
                .isEqualTo(
                        """
                        # TYPE outboard_naa_queue_pair_bytes_received_total counter
                        outboard_naa_queue_pair_bytes_received_total 7
                        # TYPE outboard_naa_routine_moved gauge
                        outboard_naa_routine_moved{routine="a"} 0
                        outboard_naa_routine_moved{routine="b"} 1
                        """);
    }
}
