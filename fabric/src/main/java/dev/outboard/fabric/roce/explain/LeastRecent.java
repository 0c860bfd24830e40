package dev.outboard.fabric.roce.explain;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/// A map of bounded size: what was asked for least recently makes room.
final class LeastRecent<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int limit;
    private final transient Consumer<V> leaves;

    LeastRecent(int limit, Consumer<V> leaves) {
        super(16, 0.75f, true);
        this.limit = limit;
        this.leaves = leaves;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        boolean isFull = size() > limit;
        if (isFull) {
            leaves.accept(eldest.getValue());
        }
        return isFull;
    }
}
