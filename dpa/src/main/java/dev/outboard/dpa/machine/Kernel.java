package dev.outboard.dpa.machine;

/// A program of one thread, written in Java. Everything that it shares with others goes through the
/// [DpaThread]; fields of Java objects are outside the memory model.
@FunctionalInterface
public interface Kernel {

    /// Runs one activation from its beginning.
    void run(DpaThread thread);
}
