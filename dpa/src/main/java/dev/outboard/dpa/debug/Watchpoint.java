package dev.outboard.dpa.debug;

import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.MemoryOperation.Kind;

/// Memory that is watched.
///
/// @param lengthBytes at least 1
public record Watchpoint(long address, int lengthBytes, On on) {

    /// What stops the thread that does it.
    public enum On {
        /// A store, whether it changes anything or not.
        WRITE(Stop.Reason.WRITTEN),
        /// A load.
        READ(Stop.Reason.READ),
        /// Either.
        ACCESS(Stop.Reason.ACCESSED);

        private final Stop.Reason reason;

        On(Stop.Reason reason) {
            this.reason = reason;
        }

        Stop.Reason reason() {
            return reason;
        }
    }

    /// Checks the length.
    public Watchpoint {
        if (lengthBytes < 1) {
            throw new IllegalArgumentException(
                    "What is watched has at least 1 byte, not " + lengthBytes);
        }
    }

    /// Whether an access of a thread is one of those.
    boolean sees(MemoryOperation operation) {
        boolean overlaps =
                Long.compareUnsigned(operation.address() - address, lengthBytes) < 0
                        || Long.compareUnsigned(
                                        address - operation.address(), operation.lengthBytes())
                                < 0;
        boolean loads = operation.kind() == Kind.LOAD || operation.kind() == Kind.LOAD_RESERVED;
        boolean stores =
                operation.kind() == Kind.STORE || operation.kind() == Kind.STORE_CONDITIONAL;
        return overlaps
                && switch (on) {
                    case WRITE -> !loads;
                    case READ -> !stores;
                    case ACCESS -> true;
                };
    }
}
