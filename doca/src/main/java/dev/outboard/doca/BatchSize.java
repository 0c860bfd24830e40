package dev.outboard.doca;

/// How many tasks the batches of a type may have (`doca_task_batch_max_tasks_number`).
public enum BatchSize {
    TASKS_16(16),
    TASKS_32(32),
    TASKS_64(64),
    TASKS_128(128);

    private final int maxTasks;

    BatchSize(int maxTasks) {
        this.maxTasks = maxTasks;
    }

    /// The most tasks in one batch.
    public int maxTasks() {
        return maxTasks;
    }
}
