package dev.outboard.bench.soak;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// What all ends of a [TaskRing] did so far. Any thread adds to it and reads it.
final class TaskTally {
    /// Requests: sends, writes, reads, atomics.
    final LongAdder submitted = new LongAdder();

    final LongAdder completed = new LongAdder();

    /// Messages, of which the requests are a part.
    final LongAdder sent = new LongAdder();

    final LongAdder received = new LongAdder();

    final LongAdder bytes = new LongAdder();

    /// Messages, reads and atomics that brought something else than they should.
    final LongAdder wrong = new LongAdder();

    final LongAdder failures = new LongAdder();

    volatile @Nullable String lastFailure;

    void failed(String failure) {
        failures.increment();
        lastFailure = failure;
    }

    /// Whether nothing was lost, doubled or damaged. Once nothing is in flight.
    boolean isComplete() {
        return completed.sum() > 0
                && submitted.sum() == completed.sum()
                && sent.sum() == received.sum()
                && wrong.sum() == 0
                && failures.sum() == 0;
    }
}
