package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.ThreadReport;
import dev.outboard.dpa.nic.QueueStatus;
import java.util.List;

/// What a process has and does at a moment. Taken from the side: while its threads go on, one part
/// may be of a later moment than another.
///
/// @param app the name of its app
/// @param mode how it runs
/// @param error what has gone wrong; its exit status is 64 if the program has ended the process
///   without an error
/// @param threads in the order of their making
/// @param queues in the order of their numbers
/// @param kernels of a runtime on top of FlexIO, which have not ended
public record ProcessStatus(
        String app,
        RunMode mode,
        FlexioErrorState error,
        List<ThreadReport> threads,
        List<QueueStatus> queues,
        List<KernelStatus> kernels,
        FlexioHeap.Usage heap,
        Discards discards) {
    /// Whether threads run in it.
    public boolean isRunning() {
        return error.isRunning();
    }

    /// What was not done, in numbers.
    ///
    /// @param completions lost, since their queue had overrun
    /// @param events lost, since their event queue had overrun
    /// @param foreignDoorbells dropped, since the process has no such queue
    /// @param staleDoorbells that told a queue nothing new
    /// @param messages lost, since their stream was full
    /// @param tasks that had not begun when their command queue was closed
    public record Discards(
            long completions,
            long events,
            long foreignDoorbells,
            long staleDoorbells,
            long messages,
            long tasks) {}
}
