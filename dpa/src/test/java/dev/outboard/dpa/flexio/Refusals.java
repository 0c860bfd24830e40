package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.flexio.FlexioException.Status;
import org.assertj.core.api.AbstractThrowableAssert;

/// Calls of FlexIO that have to fail.
final class Refusals {
    private Refusals() {}

    /// The call is refused for that reason.
    ///
    /// @return to look at what it says
    static AbstractThrowableAssert<?, ? extends Throwable> refused(Reason reason, Runnable call) {
        return fails(Status.FAILED, reason, call);
    }

    /// The process has ended by a fatal error.
    static void fatal(Runnable call) {
        fails(Status.FATAL_ERR, Reason.PROCESS_ENDED, call);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> fails(
            Status status, Reason reason, Runnable call) {
        return assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        FlexioException.class,
                        e -> {
                            assertThat(e.status()).isEqualTo(status);
                            assertThat(e.reason()).isEqualTo(reason);
                        });
    }
}
