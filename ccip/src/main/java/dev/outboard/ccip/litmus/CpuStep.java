package dev.outboard.ccip.litmus;

/// A step of the program of a processor thread.
sealed interface CpuStep {
    /// Reads a line into a register.
    record Load(int line, int register) implements CpuStep {}

    /// Writes a line, by way of the store buffer.
    record Store(int line, long value) implements CpuStep {}

    /// Waits until the store buffer is empty.
    record Fence() implements CpuStep {}

    /// Locked: the store buffer is empty, and a line is read and written at once.
    record Exchange(int line, long value, int register) implements CpuStep {}

    /// Reads a line until it has this value.
    record Await(int line, long value) implements CpuStep {}

    /// Whether an interrupt has come.
    record Interrupted(int id, int register) implements CpuStep {}

    /// Waits for an interrupt.
    record AwaitInterrupt(int id) implements CpuStep {}
}
