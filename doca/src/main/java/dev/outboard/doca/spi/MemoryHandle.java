package dev.outboard.doca.spi;

/// Memory as an [ExecutionEnvironment] knows it. Any thread.
public interface MemoryHandle {
    /// What its programs and queue entries know the memory by.
    int key();

    /// What its programs and queue entries call the first byte.
    long address();

    /// Whether the environment knows it still: it has neither been closed, nor has the environment
    /// stopped since.
    boolean isOpen();

    /// Its programs reach the memory no more. A second time does nothing.
    void close();
}
