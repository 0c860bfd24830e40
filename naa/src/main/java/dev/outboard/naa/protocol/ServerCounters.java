package dev.outboard.naa.protocol;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// What a server counts beside its connections. Any thread adds and reads.
public final class ServerCounters {
    private final Map<ServerCounter, LongAdder> values = new EnumMap<>(ServerCounter.class);

    public ServerCounters() {
        for (ServerCounter counter : ServerCounter.values()) {
            values.put(counter, new LongAdder());
        }
    }

    /// Counts one more.
    @SuppressWarnings("NullAway") // the constructor fills in every counter
    public void add(ServerCounter counter) {
        values.get(counter).increment();
    }

    /// Adds all values by name.
    public void addTo(Map<String, Long> sums) {
        values.forEach((counter, value) -> sums.put(counter.label(), value.sum()));
    }
}
