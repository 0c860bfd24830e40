package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailureCauseTest {
    /// What the catalog lists, in its order.
    private static final Set<CompletionStatus> CAUSES =
            EnumSet.of(
                    CompletionStatus.LOCAL_LENGTH_ERROR,
                    CompletionStatus.LOCAL_QP_OPERATION_ERROR,
                    CompletionStatus.LOCAL_PROTECTION_ERROR,
                    CompletionStatus.WORK_REQUEST_FLUSHED,
                    CompletionStatus.BAD_RESPONSE_ERROR,
                    CompletionStatus.LOCAL_ACCESS_ERROR,
                    CompletionStatus.REMOTE_INVALID_REQUEST_ERROR,
                    CompletionStatus.REMOTE_ACCESS_ERROR,
                    CompletionStatus.REMOTE_OPERATION_ERROR,
                    CompletionStatus.RETRY_EXCEEDED,
                    CompletionStatus.RNR_RETRY_EXCEEDED,
                    CompletionStatus.REMOTE_ABORTED,
                    CompletionStatus.GENERAL_ERROR);

    @ParameterizedTest
    @EnumSource
    @Requirement("DRDMA-FAIL-6")
    void whatCannotHappenToATaskIsAGeneralError(CompletionStatus status) {
        CompletionStatus expected =
                CAUSES.contains(status) ? status : CompletionStatus.GENERAL_ERROR;

        assertThat(FailureCause.Transport.of(status).status()).isEqualTo(expected);
    }
}
