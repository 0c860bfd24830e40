package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.EventWait;
import dev.outboard.dpa.doca.dev.ThreadContext;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import java.util.function.BiConsumer;

/// A thread of the DPA that runs threads of kernels, one after the other: a handler that entries
/// without content activate.
final class Worker {
    /// Of what wakes it.
    final int wake;

    /// Of its doorbells.
    private final int outbox;

    private final DpaAddr context;

    /// What it waits for, of the kernel that it runs.
    final EventWait wait = new EventWait();

    /// @param kernel is run each time that it is woken
    Worker(Holdings holdings, int number, BiConsumer<Worker, DpaThread> kernel) {
        outbox = holdings.loaded.outbox().number();
        context =
                holdings.loaded
                        .functions()
                        .equip(holdings, ThreadContext.KERNEL, new DpaAddr(0))
                        .context();
        FlexioEventHandler handler =
                holdings.keep(
                        FlexioEventHandler.ofRuntime(
                                holdings.loaded.process(),
                                "kernel thread " + number,
                                thread -> kernel.accept(this, thread),
                                context));
        wake = Bell.create(holdings, bell -> bell.activating(handler));
    }

    /// It is that thread of a kernel from now on.
    ///
    /// @param kind as [ThreadContext#KIND] has it
    void begin(DpaThread thread, int rank, int threads, long kind) {
        thread.store64(context.value() + ThreadContext.RANK, rank);
        thread.store64(context.value() + ThreadContext.THREADS, threads);
        thread.store64(context.value() + ThreadContext.KIND, kind);
        thread.store64(context.value() + ThreadContext.KEY, 0);
        ThreadContext.begin(thread);
        thread.configureOutbox(outbox);
        thread.windowReadInv();
        wait.follow();
    }
}
