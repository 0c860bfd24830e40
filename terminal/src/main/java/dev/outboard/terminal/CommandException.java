package dev.outboard.terminal;

/// A command cannot do what it was asked. The message is the one line that the user gets to read:
/// it names the thing that is wrong and says what to do about it.
public final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// A failure that `message` explains in full.
    public CommandException(String message) {
        super(message);
    }

    /// A failure that `message` explains in full; `cause` shows with `--verbose`.
    public CommandException(String message, Throwable cause) {
        super(message, cause);
    }

    /// A failure that the message of `cause` explains in full.
    public CommandException(RuntimeException cause) {
        super(String.valueOf(cause.getMessage()), cause);
    }
}
