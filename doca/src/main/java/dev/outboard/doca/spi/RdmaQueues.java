package dev.outboard.doca.spi;

import dev.outboard.fabric.QueuePairControl;
import java.util.Optional;

/// The queues of a [dev.outboard.doca.rdma.Rdma] context to which programs of an
/// [ExecutionEnvironment] post, from a start of the context to its stop. Any thread calls it.
public interface RdmaQueues extends AutoCloseable {
    /// Makes the queue pair of a connection, in state RESET, for the CPU to connect.
    ///
    /// @param connection what programs call it: from 0 to one less than there may be, and none that
    ///   exists; with [OnDemand] also one of those that peers ask for
    QueuePairControl queuePair(int connection);

    /// How many operations have been posted to a connection that has its queue pair on demand,
    /// since it has this one.
    long posted(int connection);

    /// Takes its queue pair from such a connection, if nothing is outstanding there. Programs ask
    /// for another one when they need it.
    ///
    /// @return whether it was taken; then nobody posts to it any more, and it is there to be closed
    boolean retire(int connection);

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
    /// @param onDemand if connections have a queue pair only while there is need
    record Attributes(
            int connections,
            int sends,
            int receives,
            Optional<CompletionContext> completions,
            Optional<OnDemand> onDemand) {}

    /// Queue pairs that connections have only while there is need.
    ///
    /// @param pairs how many connections have one at once, at most
    /// @param accepted how many more there may be, which peers ask for; they are numbered from the
    ///   number of connections on
    /// @param demand who is told of a need
    record OnDemand(int pairs, int accepted, Demand demand) {}

    /// Told that a program needs a queue pair.
    interface Demand {
        /// The program goes on when this returns, whether the connection has one or not.
        ///
        /// @param instead the connection that gives up its queue pair, where nothing is
        ///   outstanding; -1 if there is room
        void needed(int connection, int instead);
    }
}
