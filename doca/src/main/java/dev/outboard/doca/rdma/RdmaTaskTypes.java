package dev.outboard.doca.rdma;

import dev.outboard.doca.BatchSize;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.TaskPool;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The types of task that a context is to run, and the types of which it takes batches.
final class RdmaTaskTypes {
    /// Batches of one type.
    ///
    /// @param pool null if they are not enabled
    record Batches(String name, BatchSize size, @Nullable TaskPool<?> pool) {}

    private final @Nullable TaskPool<?>[] pools = new TaskPool<?>[TaskType.values().length];
    private final Map<Class<?>, Batches> batches = new HashMap<>();

    /// DRDMA-CONF-2: a later call replaces an earlier one.
    void enable(TaskType type, TaskPool<?> pool) {
        pools[type.ordinal()] = pool;
    }

    /// What tasks of a type need; null if they are not enabled.
    @Nullable TaskPool<?> pool(TaskType type) {
        return pools[type.ordinal()];
    }

    /// The tasks of a type that may be allocated at once.
    int enabled(TaskType type) {
        TaskPool<?> pool = pool(type);
        return pool == null ? 0 : pool.count();
    }

    /// The tasks that are sent to the peer, of all types.
    int enabledSends() {
        int sum = 0;
        for (TaskType type : TaskType.values()) {
            sum += type == TaskType.RECEIVE ? 0 : enabled(type);
        }
        return sum;
    }

    void enableBatches(Class<?> type, BatchSize size, TaskPool<?> pool) {
        batches.put(type, new Batches(batchesOf(type), size, pool));
    }

    Batches batches(Class<?> type) {
        Batches enabled = batches.get(type);
        return enabled == null ? new Batches(batchesOf(type), BatchSize.TASKS_128, null) : enabled;
    }

    /// What messages call batches of a type.
    static String batchesOf(Class<?> type) {
        DocaException.nonNull(type, "type");
        return "batches of " + type.getSimpleName();
    }
}
