package dev.outboard.dpa.nic;

/// How far a send queue is, in blocks: indices of 16 bits, which go round.
final class SendIndex {
    private static final int MASK = 0xFFFF;

    private final NicCounters counters;

    /// The next block to execute, and the first that is not posted.
    private int next;

    private int posted;

    /// How many entries are done. Others may ask.
    private volatile long done;

    SendIndex(NicCounters counters) {
        this.counters = counters;
    }

    /// DPA-FXQ-8: a doorbell tells up to where entries are posted.
    ///
    /// @return whether that is news
    boolean ring(int index) {
        boolean news = (short) (index - posted) > 0;
        if (news) {
            posted = index;
        } else {
            counters.staleDoorbells.getAndIncrement();
        }
        return news;
    }

    int next() {
        return next;
    }

    /// How many blocks are posted and not executed.
    int blocks() {
        return (posted - next) & MASK;
    }

    /// An entry is done.
    @SuppressWarnings("NonAtomicVolatileUpdate") // the actor alone
    void advance(int blocks) {
        next = (next + blocks) & MASK;
        done++;
    }

    long done() {
        return done;
    }
}
