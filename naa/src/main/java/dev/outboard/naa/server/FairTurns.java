package dev.outboard.naa.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Decides what runs next when more is asked for than can run: a line per key, one item of each in
/// turn. A key has a share of what runs, and of the places to wait, so that none can take all.
///
/// ```java
/// if (turns.offer(key, item)) {
///     Optional<T> next = turns.next(); // to be run now
///     …
///     turns.done(key);                 // may make others ready
/// }
/// ```
///
/// One thread at a time.
///
/// @param <K> who asks
/// @param <T> what is to run
final class FairTurns<K, T> {
    private final int maxWaiting;
    private final int maxWaitingPerKey;
    private final int maxRunningPerKey;

    /// The next turn is the first one's that has something waiting.
    private final Map<K, Line<T>> lines = new LinkedHashMap<>();

    private final Deque<T> ready = new ArrayDeque<>();
    private int capacity;
    private int running;
    private int waiting;

    /// @param capacity how many items may run
    /// @param maxRunningPerKey how many of one key
    /// @param maxWaiting how many may wait for that; of one key three quarters
    FairTurns(int capacity, int maxRunningPerKey, int maxWaiting) {
        this.capacity = capacity;
        this.maxRunningPerKey = maxRunningPerKey;
        this.maxWaiting = maxWaiting;
        this.maxWaitingPerKey = threeQuarters(maxWaiting);
    }

    /// Rounded up, so that of one there is one.
    static int threeQuarters(int all) {
        return all - all / 4;
    }

    /// Takes an item: it becomes ready, now or later.
    ///
    /// @return false if too many are waiting
    boolean offer(K key, T item) {
        Line<T> line = lines.computeIfAbsent(key, _ -> new Line<>());
        if (mayStart(line)) {
            start(line, item);
            return true;
        }
        if (waiting < maxWaiting && line.items.size() < maxWaitingPerKey) {
            line.items.add(item);
            waiting++;
            return true;
        }
        forgetIfEmpty(key, line);
        return false;
    }

    /// Something to run now.
    Optional<T> next() {
        return Optional.ofNullable(ready.poll());
    }

    /// How many are ready and nobody has taken.
    int ready() {
        return ready.size();
    }

    /// How many wait for their turn.
    int waiting() {
        return waiting;
    }

    /// An item that was ready has run, or will never.
    void done(K key) {
        Line<T> line = Objects.requireNonNull(lines.get(key), "a key that nothing runs of");
        assert line.running > 0 : "nothing runs of " + key;
        line.running--;
        running--;
        forgetIfEmpty(key, line);
        advance();
    }

    /// Takes an item back.
    ///
    /// @return false if it was taken to be run
    boolean remove(K key, T item) {
        if (ready.remove(item)) {
            done(key);
            return true;
        }
        Line<T> line = lines.get(key);
        if (line == null || !line.items.remove(item)) {
            return false;
        }
        waiting--;
        forgetIfEmpty(key, line);
        return true;
    }

    /// Changes how many items may run.
    void capacity(int capacity) {
        this.capacity = capacity;
        advance();
    }

    /// Forgets everything that has not begun.
    void clear() {
        lines.values().forEach(line -> line.items.clear());
        ready.clear();
        waiting = 0;
    }

    private void advance() {
        boolean started = true;
        while (started && running < capacity) {
            started = startNext();
        }
    }

    /// Whoever has had a turn goes to the end.
    private boolean startNext() {
        for (Map.Entry<K, Line<T>> entry : lines.entrySet()) {
            K key = entry.getKey();
            Line<T> line = entry.getValue();
            if (!line.items.isEmpty() && mayStart(line)) {
                lines.remove(key);
                lines.put(key, line);
                waiting--;
                start(line, line.items.remove());
                return true;
            }
        }
        return false;
    }

    private boolean mayStart(Line<T> line) {
        return running < capacity && line.running < maxRunningPerKey;
    }

    private void start(Line<T> line, T item) {
        line.running++;
        running++;
        ready.add(item);
    }

    private void forgetIfEmpty(K key, Line<T> line) {
        if (line.running == 0 && line.items.isEmpty()) {
            lines.remove(key);
        }
    }

    /// What one key has.
    private static final class Line<T> {
        private final Deque<T> items = new ArrayDeque<>();
        private int running;
    }
}
