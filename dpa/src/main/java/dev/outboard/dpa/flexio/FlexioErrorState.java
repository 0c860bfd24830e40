package dev.outboard.dpa.flexio;

/// DPA-FXP-5: what has gone wrong in a process, if anything has.
///
/// DPA-FXP-3: the exit status tells where it came from.
///
/// @param exitStatus 0 is fine, 1 to 63 comes from runtime and hardware, 64 to 127 from the
///   libraries of the device, 128 to 255 from the program
/// @param text one line or more; empty if nothing has
public record FlexioErrorState(Kind kind, int exitStatus, String text) {
    static final FlexioErrorState NONE = new FlexioErrorState(Kind.NONE, 0, "");

    /// How bad it is.
    public enum Kind {
        /// Nothing has gone wrong.
        NONE,
        /// The process has ended, and runs nothing more.
        FATAL,
        /// The program has told of an error, or rung a doorbell of a queue that it has not.
        USER
    }

    /// Whether the process runs.
    public boolean isRunning() {
        return kind != Kind.FATAL && exitStatus == 0;
    }
}
