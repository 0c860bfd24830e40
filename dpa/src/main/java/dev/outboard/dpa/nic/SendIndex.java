package dev.outboard.dpa.nic;

/// How far a send queue is, in blocks: indices of 16 bits, which go round.
final class SendIndex {
    private static final int MASK = 0xFFFF;

    private final NicCounters counters;

    /// The next block to execute, and the first that is not posted.
    private int next;

    private int posted;

    /// The first block that is not known to have ended.
    private int ended;

    // Others may ask

    /// How many blocks were posted.
    private volatile long told;

    /// How many entries are done, or handed to a device of the fabric.
    private volatile long done;

    private volatile int outstanding;
    private volatile long failed;

    SendIndex(NicCounters counters) {
        this.counters = counters;
    }

    /// DPA-FXQ-8: a doorbell tells up to where entries are posted.
    ///
    /// @return whether that is news
    @SuppressWarnings("NonAtomicVolatileUpdate") // the actor alone
    boolean ring(int index) {
        int more = (short) (index - posted);
        boolean news = more > 0;
        if (news) {
            posted = index;
            told += more;
            count();
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
    void advance(int blocks) {
        hand(blocks);
        end(next);
    }

    /// An entry was handed to a device of the fabric, and [#end] tells when it is done.
    @SuppressWarnings("NonAtomicVolatileUpdate") // the actor alone
    void hand(int blocks) {
        next = (next + blocks) & MASK;
        done++;
    }

    /// All entries before that index have ended.
    void end(int index) {
        ended = index & MASK;
        count();
    }

    private void count() {
        outstanding = (posted - ended) & MASK;
    }

    /// An entry has ended with an error.
    @SuppressWarnings("NonAtomicVolatileUpdate") // the actor alone
    void fail() {
        failed++;
    }

    long done() {
        return done;
    }

    /// What has become of the entries that were posted.
    QueueStatus.Sends sends(String purpose) {
        return new QueueStatus.Sends(purpose, told, outstanding, failed);
    }
}
