package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DocaExceptionTest {
    @ParameterizedTest
    @CsvSource({
        "BAD_URI, INVALID_VALUE",
        "INVALID_ARGUMENT, INVALID_VALUE",
        "NO_PROVIDER, NOT_SUPPORTED",
        "NOT_PERMITTED, NOT_PERMITTED",
        "ADDRESS_NOT_AVAILABLE, NOT_FOUND",
        "ADDRESS_IN_USE, IN_USE",
        "SERVICE_IN_USE, IN_USE",
        "IN_USE, IN_USE",
        "INVALID_STATE, BAD_STATE",
        "CLOSED, BAD_STATE",
        "LIMIT_REACHED, NO_MEMORY",
        "UNUSABLE_PATH, DRIVER",
        "SYSTEM, DRIVER",
    })
    @Requirement("DCORE-ERR-1")
    void givesEveryFailureOfTheFabricACode(Reason reason, DocaError error) {
        FabricException cause = new FabricException(reason, "ENOMEM at 0x1000");
        DocaException thrown = DocaException.of("starting an mmap", cause);
        assertThat(thrown.error()).isEqualTo(error);
        assertThat(thrown).hasMessage("starting an mmap: ENOMEM at 0x1000").hasCause(cause);
    }
}
