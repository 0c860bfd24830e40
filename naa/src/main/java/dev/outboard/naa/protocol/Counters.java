package dev.outboard.naa.protocol;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// The counters of one connection: its thread adds, any thread reads.
public final class Counters {
    private final Map<Counter, AtomicLong> values = new EnumMap<>(Counter.class);

    public Counters() {
        for (Counter counter : Counter.values()) {
            values.put(counter, new AtomicLong());
        }
    }

    /// One writer at a time, so no atomic read-modify-write is needed.
    void add(Counter counter, long amount) {
        AtomicLong value = cell(counter);
        value.setRelease(value.getPlain() + amount);
    }

    /// The value of one counter.
    public long get(Counter counter) {
        return cell(counter).getAcquire();
    }

    /// All values by name, in a fixed order.
    public Map<String, Long> snapshot() {
        Map<String, Long> snapshot = new LinkedHashMap<>();
        values.forEach((counter, value) -> snapshot.put(counter.label(), value.getAcquire()));
        return snapshot;
    }

    @SuppressWarnings("NullAway") // the constructor fills in every counter
    private AtomicLong cell(Counter counter) {
        return values.get(counter);
    }
}
