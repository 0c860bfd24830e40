package dev.outboard.dpa.cc;

/// A device program that cannot be built, or a machine that lacks the tools for it. The message is
/// what the compiler or linker said, by file and line, or names the tool and says what to do.
public final class CompileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CompileException(String message) {
        super(message);
    }

    CompileException(String message, Throwable cause) {
        super(message, cause);
    }
}
