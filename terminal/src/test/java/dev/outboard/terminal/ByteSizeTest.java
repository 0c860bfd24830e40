package dev.outboard.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "64, 64",
        "64B, 64",
        "4KiB, 4096",
        "4kib, 4096",
        "1MiB, 1048576",
        "1.5MiB, 1572864",
        "1GiB, 1073741824"
    })
    void readsWhatPeopleWrite(String text, long bytes) {
        assertThat(ByteSize.parse(text)).isEqualTo(new ByteSize(bytes));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "MiB", "-1", "4KB", "4 apples", "1.5", "0.3KiB", "9999999999GiB"})
    void refusesWhatIsNoSize(String text) {
        assertThatThrownBy(() -> ByteSize.parse(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("'" + text + "' is not a size; write bytes as 64, 4KiB, 1MiB or 1GiB");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1 KiB",
        "36578304, 34.9 MiB",
        "1073741824, 1 GiB",
        "1099511627776, 1024 GiB"
    })
    void writesTheLargestFittingUnit(long bytes, String text) {
        assertThat(new ByteSize(bytes)).hasToString(text);
    }
}
