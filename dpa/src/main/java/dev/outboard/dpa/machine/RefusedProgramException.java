package dev.outboard.dpa.machine;

/// DPA-JK-8: a program was not loaded, since its kernels do what only set-up code may do. The
/// message names class, method and line, what was found there, and what would be valid.
@SuppressWarnings("serial") // Says all in its message.
public final class RefusedProgramException extends IllegalArgumentException {
    /// Says what was found.
    public RefusedProgramException(String message) {
        super(message);
    }

    /// Of a place in the code of kernels.
    ///
    /// @param where class, method, and file with line
    /// @param valid what the program may do instead
    public static RefusedProgramException at(String where, String found, String valid) {
        return new RefusedProgramException(
                "Kernel code in %s: %s. Valid: %s".formatted(where, found, valid));
    }
}
