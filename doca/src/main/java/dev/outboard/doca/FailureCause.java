package dev.outboard.doca;

import dev.outboard.fabric.CompletionStatus;
import java.util.EnumSet;
import java.util.Set;

/// Why a task failed. A value.
///
/// DCORE-ERR-5: a failure has a cause beside its status.
public sealed interface FailureCause {
    /// The transport ended the task.
    ///
    /// @param status how its work request completed
    record Transport(CompletionStatus status) implements FailureCause {
        /// What never ends a task: success, and what concerns other kinds of queue pairs, memory
        /// windows or the device as a whole.
        private static final Set<CompletionStatus> FOREIGN =
                EnumSet.of(
                        CompletionStatus.SUCCESS,
                        CompletionStatus.LOCAL_EEC_OPERATION_ERROR,
                        CompletionStatus.MEMORY_WINDOW_BIND_ERROR,
                        CompletionStatus.LOCAL_RDD_VIOLATION_ERROR,
                        CompletionStatus.REMOTE_INVALID_RD_REQUEST,
                        CompletionStatus.INVALID_EECN,
                        CompletionStatus.INVALID_EEC_STATE,
                        CompletionStatus.FATAL,
                        CompletionStatus.RESPONSE_TIMEOUT);

        private static final Transport[] BY_STATUS =
                new Transport[CompletionStatus.values().length];

        static {
            for (CompletionStatus status : CompletionStatus.values()) {
                boolean isForeign = FOREIGN.contains(status);
                BY_STATUS[status.ordinal()] =
                        new Transport(isForeign ? CompletionStatus.GENERAL_ERROR : status);
            }
        }

        /// The cause for `status`; allocates nothing.
        ///
        /// DRDMA-FAIL-6: a status that a task cannot have is GENERAL_ERROR.
        public static Transport of(CompletionStatus status) {
            DocaException.nonNull(status, "status");
            return BY_STATUS[status.ordinal()];
        }

        @Override
        public String toString() {
            return status + " (" + status.explanation() + ")";
        }
    }

    /// The operands were refused before anything was sent.
    ///
    /// @param rule what they break
    record Validation(ValidationRule rule) implements FailureCause {
        private static final Validation[] BY_RULE = new Validation[ValidationRule.values().length];

        static {
            for (ValidationRule rule : ValidationRule.values()) {
                BY_RULE[rule.ordinal()] = new Validation(rule);
            }
        }

        /// The cause for `rule`; allocates nothing.
        public static Validation of(ValidationRule rule) {
            DocaException.nonNull(rule, "rule");
            return BY_RULE[rule.ordinal()];
        }

        @Override
        public String toString() {
            return rule + " (" + rule.description() + ")";
        }
    }

    /// A task was refused in a callback, which let the exception of [Task#submitOrThrow] pass: the
    /// cause that stopped the context, not that of a task.
    ///
    /// @param error why it was refused
    /// @param explanation one line for people
    record Refusal(DocaError error, String explanation) implements FailureCause {
        public Refusal {
            DocaException.nonNull(error, "error");
            DocaException.nonNull(explanation, "explanation");
        }

        @Override
        public String toString() {
            return error + " (" + explanation + ")";
        }
    }
}
