package dev.outboard.doca.spi;

import dev.outboard.fabric.QueuePairControl;
import java.util.Optional;

/// The queues of a [dev.outboard.doca.rdma.Rdma] context to which programs of an
/// [ExecutionEnvironment] post, from a start of the context to its stop. Any thread calls it.
public interface RdmaQueues extends AutoCloseable {
    /// Makes the queue pair of a connection, in state RESET, for the CPU to connect.
    ///
    /// @param connection what programs call it: from 0 to one less than there may be, and none that
    ///   exists
    QueuePairControl queuePair(int connection);

    /// What programs know the context by.
    long handle();

    /// Programs know it no more. Its queue pairs have been closed.
    @Override
    void close();

    /// How they are made.
    ///
    /// @param connections how many there may be at once
    /// @param sends how many operations of a connection may be outstanding, a power of two
    /// @param receives how many receives may be posted, a power of two
    /// @param completions where programs find what has completed; if empty, they wait for it
    record Attributes(
            int connections, int sends, int receives, Optional<CompletionContext> completions) {}
}
