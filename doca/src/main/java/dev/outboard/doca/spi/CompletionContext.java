package dev.outboard.doca.spi;

/// Where programs of an [ExecutionEnvironment] find what has completed of the objects that are
/// attached to it.
public interface CompletionContext {
    /// Whose programs look there.
    ExecutionEnvironment environment();
}
