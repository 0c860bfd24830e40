package dev.outboard.dpa.machine;

/// A process that lives no more was asked for something: a thread of it has met a fatal error, or
/// it was closed.
@SuppressWarnings("serial")
public final class ProcessEndedException extends IllegalStateException {
    /// What it has ended by.
    public ProcessEndedException(String text) {
        super(text);
    }
}
