package dev.outboard.bench.soak;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// What all clients of a soak did so far. Any thread adds to it and reads it.
final class Tally {
    final LongAdder rpcs = new LongAdder();

    /// There and back.
    final LongAdder bytes = new LongAdder();

    final LongAdder wrongBytes = new LongAdder();

    /// Devices closed in the middle of a call.
    final LongAdder kills = new LongAdder();

    final LongAdder sessions = new LongAdder();

    /// Sessions that ended, or did not begin, because something failed that nobody did on purpose.
    final LongAdder failures = new LongAdder();

    volatile @Nullable String lastFailure;

    void failed(RuntimeException failure) {
        failures.increment();
        lastFailure = failure.toString();
    }
}
