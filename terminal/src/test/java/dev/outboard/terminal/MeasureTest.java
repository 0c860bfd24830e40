package dev.outboard.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class MeasureTest {
    @ParameterizedTest
    @CsvSource({"5000us, 5", "500ms, 500", "60s, 60000", "5min, 300000", "0s, 0"})
    void readsTimes(String text, long millis) {
        assertThat(Measure.parseTime(text)).hasMillis(millis);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "60", "1h", "-1s", "1.5s"})
    void refusesWhatIsNoTime(String text) {
        assertThatThrownBy(() -> Measure.parseTime(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("'" + text + "' is not a time; write 20us, 500ms, 60s or 5min");
    }

    @ParameterizedTest
    @CsvSource({
        "7400, 7.40 us",
        "999000, 999 us",
        "999499, 999 us",
        "999500, 1.00 ms",
        "999499999, 999 ms",
        "999500000, 1.00 s",
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
        "6, 1000000, 6.00 KB/s",
        "999600, 1000000000, 1.00 MB/s",
        "999600000, 1000000000, 1.00 GB/s",
        "0, 1000, ''",
        "5, 0, ''"
    })
    void writesRatesInDecimalUnits(long bytes, long nanos, String text) {
        assertThat(Measure.rate(bytes, nanos)).isEqualTo(text);
    }
}
