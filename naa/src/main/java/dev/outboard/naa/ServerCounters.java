package dev.outboard.naa;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// What a server counts beside its connections. Any thread adds and reads.
final class ServerCounters {
    private final Map<ServerCounter, LongAdder> values = new EnumMap<>(ServerCounter.class);

    ServerCounters() {
        for (ServerCounter counter : ServerCounter.values()) {
            values.put(counter, new LongAdder());
        }
    }

    /// Counts one more.
    @SuppressWarnings("NullAway") // the constructor fills in every counter
    void add(ServerCounter counter) {
        values.get(counter).increment();
    }

    /// Adds all values by name.
    void addTo(Map<String, Long> sums) {
        values.forEach((counter, value) -> sums.put(counter.label(), value.sum()));
    }
}
