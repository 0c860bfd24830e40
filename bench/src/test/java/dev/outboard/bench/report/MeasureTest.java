package dev.outboard.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeasureTest {
    @ParameterizedTest
    @CsvSource({
        "7400, 7.40 us",
        "999000, 999 us",
        "12345678, 12.3 ms",
        "1250000000, 1.25 s",
        "61000000000, 61.0 s"
    })
    void writesTimesWithThreeDigits(long nanos, String text) {
        assertThat(Measure.time(nanos)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "2310000000, 1000000000, 2.31 GB/s",
        "840, 1000, 840 MB/s",
        "0, 1000, ''",
        "5, 0, ''"
    })
    void writesRatesInDecimalUnits(long bytes, long nanos, String text) {
        assertThat(Measure.rate(bytes, nanos)).isEqualTo(text);
    }
}
