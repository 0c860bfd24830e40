package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimingsTest {
    @Test
    void summarizesRunsByTheirMedians() {
        Timings timings = new Timings();
        addRun(timings, 10, 20, 30);
        addRun(timings, 100, 200, 300);
        addRun(timings, 40, 50, 60);

        Timings.Summary summary = timings.summary();

        assertThat(summary.count()).isEqualTo(9);
        assertThat(summary.median()).isEqualTo(50);
        assertThat(summary.lowestMedian()).isEqualTo(20);
        assertThat(summary.highestMedian()).isEqualTo(200);
        assertThat(summary.p50()).isEqualTo(50);
        assertThat(summary.max()).isEqualTo(300);
    }

    private static void addRun(Timings timings, long... nanos) {
        for (long time : nanos) {
            timings.add(time);
        }
        timings.endRun();
    }
}
