package dev.outboard.doca;

import dev.outboard.fabric.CompletionStatus;

/// Why a task failed, beside its status (catalog DCORE-ERR-5). A value.
public sealed interface FailureCause {
    /// The transport ended the task.
    ///
    /// @param status how its work request completed
    record Transport(CompletionStatus status) implements FailureCause {
        private static final Transport[] BY_STATUS =
                new Transport[CompletionStatus.values().length];

        static {
            for (CompletionStatus status : CompletionStatus.values()) {
                BY_STATUS[status.ordinal()] = new Transport(status);
            }
        }

        /// The cause for `status`; allocates nothing.
        public static Transport of(CompletionStatus status) {
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
            return BY_RULE[rule.ordinal()];
        }

        @Override
        public String toString() {
            return rule + " (" + rule.description() + ")";
        }
    }
}
