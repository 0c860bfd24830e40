package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.roce.wire.Discard;
import java.util.EnumMap;
import java.util.Map;

/// How many received packets were dropped, by reason. Belongs to a [Receiver]; the thread that
/// receives counts, any thread reads.
public final class Discards {
    private final Map<Discard, Counter> counters = new EnumMap<>(Discard.class);

    Discards() {
        for (Discard reason : Discard.values()) {
            counters.put(reason, new Counter());
        }
    }

    /// Counts one packet.
    public void increment(Discard reason) {
        counter(reason).increment();
    }

    public long count(Discard reason) {
        return counter(reason).value();
    }

    /// Over all reasons.
    public long total() {
        return counters.values().stream().mapToLong(Counter::value).sum();
    }

    private Counter counter(Discard reason) {
        return java.util.Objects.requireNonNull(counters.get(reason));
    }
}
