package dev.outboard.dpa.debug;

/// How a program goes on that has stopped.
///
/// @param thread of [Kind#STEP] the number of the thread that steps
public record Resume(Kind kind, int thread) {

    /// What there is to do.
    public enum Kind {
        /// Runs until something stops it.
        GO,
        /// The same, but stops at the latest when the thread has run one instruction.
        STEP,
        /// Ends.
        END
    }

    /// Runs until something stops it.
    public static final Resume GO = new Resume(Kind.GO, 0);

    /// Ends.
    public static final Resume END = new Resume(Kind.END, 0);

    /// Runs one instruction of a thread.
    public static Resume step(int thread) {
        return new Resume(Kind.STEP, thread);
    }
}
