package dev.outboard.fabric;

/// Receives that several queue pairs of a protection domain take from, in the order of posting (the
/// verbs' `ibv_srq`). A queue pair takes one when a message for it begins; from then on it belongs
/// to that queue pair, in whose completion queue it ends. A queue pair that fails leaves the others
/// alone.
///
/// One thread at a time may post. [#close] fails while queue pairs use the queue; the receives in
/// it end without completions.
public interface SharedReceiveQueue extends AutoCloseable {
    /// Posts a receive.
    ///
    /// @return false if the queue is full
    boolean post(ReceiveRequest request);

    /// Asks for one event SRQ_LIMIT_REACHED when fewer than `receives` receives are left; 0 asks
    /// for none.
    void arm(int receives);

    /// How many receives it holds at most.
    int capacity();

    @Override
    void close();
}
