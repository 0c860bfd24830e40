package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.LiveHeap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What a server costs while nobody uses it: taken before an attack and compared after it.
///
/// @param heapBytes live after a collection
/// @param threads how many there are by name, those that serve clients and devices
record Baseline(long heapBytes, Map<String, Long> threads) {
    /// What caches, counters and connections in TIMEWAIT may hold.
    private static final long TOLERANCE_BYTES = 4 << 20;

    static Baseline take() {
        return new Baseline(LiveHeap.bytes(), ownThreads());
    }

    /// Heap and threads are back where they were.
    void assertReached() {
        Eventually.until(() -> ownThreads().equals(threads));
        assertThat(LiveHeap.bytes()).as("live heap").isLessThan(heapBytes + TOLERANCE_BYTES);
    }

    private static Map<String, Long> ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("naa-client") || name.startsWith("outboard"))
                .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()));
    }
}
