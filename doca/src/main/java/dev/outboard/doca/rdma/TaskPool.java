package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import java.util.function.Consumer;

/// A type of task that was enabled: its callbacks, and how many tasks may be allocated at once.
final class TaskPool<T extends RdmaTask> {
    private final TaskType type;
    private final Consumer<? super T> onSuccess;
    private final Consumer<? super T> onError;
    private final int count;
    private int allocated;

    TaskPool(TaskType type, Consumer<? super T> onSuccess, Consumer<? super T> onError, int count) {
        if (onSuccess == null || onError == null) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    type + " tasks need a callback for success and one for errors");
        }
        this.type = type;
        this.onSuccess = onSuccess;
        this.onError = onError;
        this.count = RdmaSettings.atLeastOne("count of " + type + " tasks", count);
    }

    int count() {
        return count;
    }

    void allocate() {
        if (allocated == count) {
            throw new DocaException(
                    DocaError.NO_MEMORY,
                    "all %d %s tasks are allocated; free one, or enable more"
                            .formatted(count, type));
        }
        allocated++;
    }

    void freed() {
        allocated--;
    }

    /// The callback for a task that ended with `status`.
    @SuppressWarnings("unchecked") // tasks of this type only
    Consumer<RdmaTask> callback(DocaError status) {
        return (Consumer<RdmaTask>) (status == DocaError.SUCCESS ? onSuccess : onError);
    }
}
