package dev.outboard.doca.spi;

/// A [dev.outboard.doca.BufArray] as an [ExecutionEnvironment] knows it. Any thread.
public interface ArrayHandle {
    /// What its programs know the array by.
    long handle();

    /// Its programs know the array no more. A second time does nothing.
    void close();
}
