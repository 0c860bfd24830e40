package dev.outboard.naa.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PollingTest {
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    @Test
    void oneThreadFewerPollsThanThereAreProcessors() {
        int polling = (int) IntStream.range(0, PROCESSORS).filter(_ -> Polling.begin()).count();
        IntStream.range(0, polling).forEach(_ -> Polling.end());

        assertThat(polling).isEqualTo(PROCESSORS - 1);
    }

    /// Those whose answer has come need the processors.
    @Test
    void nobodyPollsWhileManyWait() {
        assumeThat(PROCESSORS).isGreaterThan(1);
        int many = 2 * PROCESSORS + 1;
        IntStream.range(0, many).forEach(_ -> Polling.waiting());
        boolean pollsAmongMany = Polling.begin();
        Polling.waited();
        boolean pollsAmongFewer = Polling.begin();
        IntStream.range(1, many).forEach(_ -> Polling.waited());
        Polling.end();

        assertThat(pollsAmongMany).isFalse();
        assertThat(pollsAmongFewer).isTrue();
    }
}
