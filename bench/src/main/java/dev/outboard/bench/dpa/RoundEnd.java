package dev.outboard.bench.dpa;

import java.util.List;

/// An end of rounds of RDMA, whoever posts there. In each round the one that leads writes its
/// message to the memory of the other and sets the event of that; the other looks at the message,
/// and does the same. Or the one that leads writes only, as much as it can.
sealed interface RoundEnd extends AutoCloseable permits KernelEnd, TaskEnd {
    /// What stands in the first word of a message that is the last one.
    long LAST = -1;

    /// What a message holds, if there are answers, and otherwise.
    int SMALL_BYTES = 64;

    int LARGE_BYTES = 1 << 20;

    /// How many large messages are on their way at once.
    int LARGE_IN_FLIGHT = 4;

    /// What the other end has to know: of its connection, its memory and its event.
    List<byte[]> exports();

    void connect(List<byte[]> exports);

    /// Leads rounds with answers for about `nanos`.
    ///
    /// @return nanoseconds per round
    double lead(long nanos);

    /// Writes for about `nanos`.
    ///
    /// @return bytes per second
    double write(long nanos);

    /// Answers until the last message.
    void answer();

    @Override
    void close();
}
