package dev.outboard.doca;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/// A type of task that was enabled: its callbacks, and how many tasks may be allocated at once. For
/// kinds of context (`doca_…_task_T_set_conf`), which allocate on a thread that has entered their
/// progress engine.
public final class TaskPool<T extends Task> {
    private final String type;
    private final Consumer<? super T> onSuccess;
    private final Consumer<? super T> onError;

    /// DCORE-TASK-1: callbacks, and a count that bounds what is allocated at once.
    private final int count;

    private final AtomicInteger allocated = new AtomicInteger();

    /// Tasks that messages call `type`.
    ///
    /// @throws DocaException with INVALID_VALUE if a callback is missing or `count` is below 1
    public TaskPool(
            String type, Consumer<? super T> onSuccess, Consumer<? super T> onError, int count) {
        if (onSuccess == null || onError == null) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%s tasks need a callback for success and one for errors; %s is null"
                            .formatted(type, onSuccess == null ? "onSuccess" : "onError"));
        }
        if (count < 1) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "count of %s tasks is %d; valid: from 1".formatted(type, count));
        }
        this.type = DocaException.nonNull(type, "type");
        this.onSuccess = onSuccess;
        this.onError = onError;
        this.count = count;
    }

    /// Without callbacks.
    ///
    /// @throws DocaException with INVALID_VALUE if `count` is below 1
    public TaskPool(String type, int count) {
        this(type, TaskPool::ignore, TaskPool::ignore, count);
    }

    private static void ignore(Task task) {}

    /// How many may be allocated at once.
    public int count() {
        return count;
    }

    /// Counts a task.
    ///
    /// DCORE-TASK-3, DFLT-31: more than the count is NO_MEMORY.
    ///
    /// @throws DocaException with NO_MEMORY if all are allocated
    public void allocate() {
        if (allocated.get() == count) {
            throw new DocaException(
                    DocaError.NO_MEMORY,
                    "all %d %s tasks are allocated; free one, or enable more"
                            .formatted(count, type));
        }
        allocated.incrementAndGet();
    }

    /// A task was freed, by whichever thread.
    public void freed() {
        allocated.decrementAndGet();
    }

    /// The callback for a task that ended with `status`.
    @SuppressWarnings("unchecked") // tasks of this type only
    public Consumer<Task> callback(DocaError status) {
        DocaException.nonNull(status, "status");
        return (Consumer<Task>) (status == DocaError.SUCCESS ? onSuccess : onError);
    }
}
