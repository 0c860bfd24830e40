package dev.outboard.doca;

/// How a task is submitted (`doca_task_submit_flag`).
public enum SubmitFlag {
    /// Pushes the task, and those of its context that were held back before. Without it the task
    /// may wait until another is submitted with it, or until [Ctx#flushTasks].
    FLUSH,
    /// Its completion may be reported late, together with others. Leaves the engine free to do so;
    /// none does today.
    OPTIMIZE_REPORTS
}
