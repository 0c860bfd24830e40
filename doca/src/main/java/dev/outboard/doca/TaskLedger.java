package dev.outboard.doca;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The tasks of a context: those that are allocated, and how many of them are in flight. Threads
/// that have entered the progress engine use it; any may free a task.
final class TaskLedger {
    private static final Logger LOGGER = System.getLogger(Ctx.class.getName());

    private final Set<Task> allocated = ConcurrentHashMap.newKeySet();

    /// DCORE-CTX-16: submitted, and not called back.
    private int inFlight;

    /// DCORE-TASK-4: the user owns it.
    <T extends Task> T allocate(TaskPool<?> pool, Supplier<T> creation) {
        T task = creation.get();
        pool.allocate();
        task.allocatedFrom(pool);
        allocated.add(task);
        return task;
    }

    void started(Task task) {
        task.started();
        inFlight++;
    }

    void ended(Task task, DocaError status, @Nullable FailureCause cause) {
        task.ended(status, cause);
        inFlight--;
    }

    void freed(Task task) {
        task.pool().freed();
        allocated.remove(task);
    }

    /// Frees what the user owns, since `ctx` is closed.
    void freeHeld(Ctx ctx) {
        for (Task task : List.copyOf(allocated)) {
            if (task.canBeFreed()) {
                LOGGER.log(Level.WARNING, "{0} was closed before {1} was freed", ctx, task);
                task.free();
            }
        }
    }

    int inFlight() {
        return inFlight;
    }

    /// Whether all are freed.
    boolean isEmpty() {
        return allocated.isEmpty();
    }

    /// Whether some are not freed, and none is in flight.
    boolean isHeld() {
        return inFlight == 0 && !allocated.isEmpty();
    }

    @Override
    public String toString() {
        return "%d tasks are in flight, %d more are not freed"
                .formatted(inFlight, allocated.size() - inFlight);
    }
}
