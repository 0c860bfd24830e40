package dev.outboard.bench.dpa;

/// An end of an echo, whatever answers there: a queue pair that is to be connected.
sealed interface EchoEnd extends AutoCloseable permits EchoHandler, EchoVerbs {
    /// The number of the queue pair.
    int number();

    void connect(EchoPeer peer);

    @Override
    void close();
}
