package dev.outboard.naa.server;

import dev.outboard.naa.ReturnCode;

/// Thrown by a [Routine] that fails for a reason its clients know by a code.
public final class RoutineException extends Exception {
    private static final long serialVersionUID = 1;

    private final int returnCode;

    /// Fails the RPC with `returnCode`. Choose from 0x20 on: 0x10 to 0x13 may be used, but have a
    /// meaning at this server already ([ReturnCode]).
    ///
    /// @throws IllegalArgumentException unless the code is in [ReturnCode#FIRST_APPLICATION] to
    ///   [ReturnCode#LAST_APPLICATION]
    public RoutineException(int returnCode, String message) {
        super(message);
        if (returnCode < ReturnCode.FIRST_APPLICATION || returnCode > ReturnCode.LAST_APPLICATION) {
            throw new IllegalArgumentException(
                    "return code 0x%02x; a routine chooses from 0x10 to 0x7f"
                            .formatted(returnCode));
        }
        this.returnCode = returnCode;
    }

    private RoutineException(String message, int returnCode) {
        super(message, null, false, false);
        this.returnCode = returnCode;
    }

    /// A failure that the server decides on, which may have any code. Its message says it all, so
    /// it has no stack trace: a client can cause many.
    static RoutineException ofServer(int returnCode, String message) {
        return new RoutineException(message, returnCode);
    }

    /// What the client gets.
    public int returnCode() {
        return returnCode;
    }
}
