package dev.outboard.doca;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// Several tasks of one type that are submitted, and complete, as one (`doca_task_batch`). Either
/// all are submitted or none; the callback of the batch runs when the last one has completed, in
/// place of theirs. Made of tasks that the user has allocated, whose operands and user data are set
/// as ever, before the batch is submitted again too; each has a status of its own.
///
/// ```java
/// rdma.write(64).batch(WriteTask.class, BatchSize.TASKS_64, this::written, this::failed, 1);
/// …
/// TaskBatch<WriteTask> pages = rdma.allocBatch(writes);
/// pages.submitOrThrow();
/// ```
///
/// It is a [Task] itself: it belongs to the user until it is submitted, and its tasks belong to
/// DOCA as long as it does. [#free] frees them as well. Used by one thread at a time.
public final class TaskBatch<T extends Task> extends Task {
    private final List<T> tasks;
    private final Consumer<Task> partEnded = this::partEnded;

    /// Tasks in flight.
    private int left;

    /// @throws DocaException with INVALID_VALUE unless there are 1 to `size` tasks of one type, all
    ///   different and all of `ctx`
    TaskBatch(Ctx ctx, BatchSize size, List<T> tasks) {
        super(ctx);
        this.tasks = List.copyOf(tasks);
        requireFitting(size);
    }

    private void requireFitting(BatchSize size) {
        if (tasks.isEmpty() || tasks.size() > size.maxTasks()) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "a batch of %d tasks; valid: 1 to %d".formatted(tasks.size(), size.maxTasks()));
        }
        Class<?> type = tasks.getFirst().getClass();
        for (T task : tasks) {
            if (!task.ctx().equals(ctx()) || !task.getClass().equals(type)) {
                throw new DocaException(
                        DocaError.INVALID_VALUE,
                        "%s of %s cannot be in a batch with %ss of %s"
                                .formatted(task, task.ctx(), type.getSimpleName(), ctx()));
            }
        }
        if (Set.copyOf(tasks).size() < tasks.size()) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, "a batch cannot have the same task twice");
        }
    }

    /// The tasks, in the order in which they are submitted.
    public List<T> tasks() {
        return tasks;
    }

    /// Hands all tasks to DOCA, as [Task#submit()] does, or none.
    ///
    /// @return SUCCESS; BAD_STATE if DOCA owns the batch or a task of it, or the context is not
    ///   running; FULL if the queue of a task's connection has no room for as many tasks as there
    ///   are in the batch; NOT_CONNECTED if a connection is not established
    /// @throws DocaException with BAD_STATE if the batch or a task of it was freed
    @Override
    public DocaError submit() {
        return submit(false, true);
    }

    /// Like [#submit()], whose flags are FLUSH only.
    @Override
    public DocaError submit(Set<SubmitFlag> flags) {
        return flags == null
                ? DocaError.INVALID_VALUE
                : submit(false, flags.contains(SubmitFlag.FLUSH));
    }

    /// Like [#submit()], but refuses the batch with INVALID_VALUE or NOT_PERMITTED if the operands
    /// of one of its tasks cannot work.
    @Override
    public DocaError trySubmit() {
        return submit(true, true);
    }

    /// DCORE-TASK-17: one submission for all, and one completion.
    private DocaError submit(boolean strictly, boolean flushing) {
        ProgressEngine engine = ctx().engine();
        engine.enter();
        try {
            if (isInFlight() || hasTaskInFlight()) {
                return DocaError.BAD_STATE;
            }
            DocaError refusal = ctx().submitAll(tasks, strictly, flushing);
            if (refusal == DocaError.SUCCESS) {
                start(); // nothing completes before the engine is left
            } else {
                refuse();
            }
            return refusal;
        } finally {
            engine.exit();
        }
    }

    private boolean hasTaskInFlight() {
        boolean found = false;
        for (int i = 0; i < tasks.size(); i++) {
            found |= tasks.get(i).isInFlight();
            tasks.get(i).forgetFailure();
        }
        return found;
    }

    private void start() {
        left = tasks.size();
        for (int i = 0; i < tasks.size(); i++) {
            tasks.get(i).completesWith(partEnded);
        }
        started();
    }

    private void refuse() {
        for (int i = 0; i < tasks.size() && failure().isEmpty(); i++) {
            failsLike(tasks.get(i));
        }
    }

    /// A task has completed; with the last one the batch has.
    private void partEnded(Task task) {
        left--;
        if (left > 0) {
            return;
        }
        Task told = tasks.getFirst();
        for (int i = 1; i < tasks.size() && told.status() == DocaError.SUCCESS; i++) {
            told = tasks.get(i);
        }
        ended(told.status(), null);
        failsLike(told);
        takeCallback().accept(this);
    }

    @Override
    boolean canBeFreed() {
        return super.canBeFreed() && tasks.stream().allMatch(Task::isCompleted);
    }

    @Override
    void freeParts() {
        tasks.forEach(Task::requireCompleted);
        tasks.forEach(Task::free);
    }

    @Override
    public String toString() {
        return "batch of %d %ss"
                .formatted(tasks.size(), tasks.getFirst().getClass().getSimpleName());
    }
}
