package dev.outboard.dpa.doca;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaCall;
import java.util.Optional;

/// DPA-KL-1: a kernel that was launched and has not ended.
final class Launch {
    /// What it runs, with the arguments of its submission.
    final DpaCall<DpaThread> call;

    final int threads;

    /// What is told when it has ended.
    final Optional<Completion> completion;

    /// Whether the host waits for its result.
    final boolean isRpc;

    long result;

    /// Whether it waits for its event no more.
    boolean isBegun;

    /// How many of its threads have ended.
    int ended;

    /// What is done to an event when a kernel has ended.
    ///
    /// @param isAdd whether the count is added, and not what the event is set to
    record Completion(DpaEvent event, boolean isAdd, long count) {}

    Launch(DpaCall<DpaThread> call, int threads, Optional<Completion> completion, boolean isRpc) {
        this.call = call;
        this.threads = threads;
        this.completion = completion;
        this.isRpc = isRpc;
    }
}
