package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DocaErrorTest {
    @ParameterizedTest
    @CsvSource({
        "0, SUCCESS",
        "1, UNKNOWN",
        "2, NOT_PERMITTED",
        "3, IN_USE",
        "4, NOT_SUPPORTED",
        "5, AGAIN",
        "6, INVALID_VALUE",
        "7, NO_MEMORY",
        "8, INITIALIZATION",
        "9, TIME_OUT",
        "10, SHUTDOWN",
        "11, CONNECTION_RESET",
        "12, CONNECTION_ABORTED",
        "13, CONNECTION_INPROGRESS",
        "14, NOT_CONNECTED",
        "15, NO_LOCK",
        "16, NOT_FOUND",
        "17, IO_FAILED",
        "18, BAD_STATE",
        "19, UNSUPPORTED_VERSION",
        "20, OPERATING_SYSTEM",
        "21, DRIVER",
        "22, UNEXPECTED",
        "23, ALREADY_EXIST",
        "24, FULL",
        "25, EMPTY",
        "26, IN_PROGRESS",
        "27, TOO_BIG",
        "28, AUTHENTICATION",
        "29, BAD_CONFIG",
        "30, SKIPPED",
    })
    @Requirement("DCORE-ERR-1")
    void hasTheNumbersOfDoca(int number, DocaError error) {
        assertThat(error.number()).isEqualTo(number);
        assertThat(DocaError.values()).hasSize(31);
    }

    @Test
    @Requirement("DCORE-ERR-2")
    void hasTheNamesOfDocaAndADescriptionOfItsOwnForEachCode() {
        assertThat(DocaError.SUCCESS.docaName()).isEqualTo("DOCA_SUCCESS");
        assertThat(DocaError.NO_LOCK.docaName()).isEqualTo("DOCA_ERROR_NO_LOCK");
        assertThat(Arrays.stream(DocaError.values()).map(DocaError::description))
                .doesNotHaveDuplicates()
                .allMatch(text -> !text.isBlank() && text.lines().count() == 1);
        assertThat(Arrays.stream(DocaError.values()))
                .allMatch(error -> DocaError.describe(error.number()).equals(error.description()));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 31, Integer.MIN_VALUE, Integer.MAX_VALUE})
    @Requirement("DCORE-ERR-2")
    void saysThatItDoesNotRecogniseANumber(int number) {
        assertThat(DocaError.describe(number)).isEqualTo("Unrecognized error code");
    }

    @Test
    @Requirement("DCORE-ERR-3")
    void keepsTheFirstFailureOfASequence() {
        DocaError result = DocaError.SUCCESS;
        result = DocaError.first(result, DocaError.SUCCESS);
        assertThat(result).isEqualTo(DocaError.SUCCESS);
        result = DocaError.first(result, DocaError.IN_USE);
        result = DocaError.first(result, DocaError.SUCCESS);
        result = DocaError.first(result, DocaError.DRIVER);
        assertThat(result).isEqualTo(DocaError.IN_USE);
    }
}
