package dev.outboard.fabric.drive;

/// The world around a device, as those who drive it see it: the time, and what comes from outside.
public interface Site {
    /// The time; only differences mean something. Any thread.
    long nowNanos();

    /// Waits until something has come, [#wake] is called, or `nanos` passed. One thread at a time;
    /// may return early.
    void await(long nanos);

    /// Ends the current wait, or else the next one. Any thread.
    void wake();
}
