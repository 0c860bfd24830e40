package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;

/// DPA-KL-6: what a thread of a kernel asks about itself: `doca_dpa_dev.h`. Kernels call it.
public final class DocaDpaDev {
    private DocaDpaDev() {}

    /// `doca_dpa_dev_thread_rank`: which thread of its kernel the calling one is, from 0 on.
    public static int threadRank(DpaThread thread) {
        return (int) thread.load64(ThreadContext.of(thread) + ThreadContext.RANK);
    }

    /// `doca_dpa_dev_num_threads`: how many threads its kernel has.
    public static int numThreads(DpaThread thread) {
        return (int) thread.load64(ThreadContext.of(thread) + ThreadContext.THREADS);
    }

    /// `doca_dpa_dev_yield`: gives the execution unit to the next thread that waits for it, and
    /// goes on later.
    public static void yieldUnit(DpaThread thread) {
        ThreadContext.of(thread);
        thread.yieldUnit();
    }
}
