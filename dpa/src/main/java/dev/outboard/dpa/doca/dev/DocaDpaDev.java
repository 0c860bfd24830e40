package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;

/// DPA-KL-6: what a thread asks about itself, and what it does with itself: `doca_dpa_dev.h`.
/// Kernels call it.
public final class DocaDpaDev {
    private DocaDpaDev() {}

    /// `doca_dpa_dev_thread_rank`: which thread of its kernel or
    /// [group][dev.outboard.dpa.doca.DocaDpaThreadGroup] the calling one is, from 0 on.
    public static int threadRank(DpaThread thread) {
        return (int) thread.load64(ThreadContext.own(thread) + ThreadContext.RANK);
    }

    /// `doca_dpa_dev_num_threads`: how many threads its kernel or group has.
    public static int numThreads(DpaThread thread) {
        return (int) thread.load64(ThreadContext.own(thread) + ThreadContext.THREADS);
    }

    /// `doca_dpa_dev_yield`: gives the execution unit to the next thread that waits for it, and
    /// goes on later.
    ///
    /// DPA-TH-4: for threads of kernels that were launched; in any other it is a fault.
    public static void yieldUnit(DpaThread thread) {
        ThreadContext.of(thread, ThreadContext.KERNEL, "doca_dpa_dev_yield");
        thread.yieldUnit();
    }

    /// `doca_dpa_dev_thread_reschedule`: ends this activation. The next one begins the function
    /// again. Does not return.
    ///
    /// DPA-TH-4: for DPA threads; in any other it is a fault.
    public static void threadReschedule(DpaThread thread) {
        ThreadContext.of(thread, ThreadContext.DPA_THREAD, "doca_dpa_dev_thread_reschedule");
        thread.reschedule();
    }

    /// `doca_dpa_dev_thread_finish`: ends the thread: nothing activates it any more. Does not
    /// return.
    ///
    /// DPA-TH-4: for DPA threads; in any other it is a fault.
    public static void threadFinish(DpaThread thread) {
        ThreadContext.of(thread, ThreadContext.DPA_THREAD, "doca_dpa_dev_thread_finish");
        thread.finish();
    }

    /// `doca_dpa_dev_thread_get_local_storage`: the address that the host has given the thread for
    /// what it keeps between activations, or 0.
    ///
    /// DPA-TH-4: for DPA threads; in any other it is a fault.
    public static long threadLocalStorage(DpaThread thread) {
        long context =
                ThreadContext.of(
                        thread, ThreadContext.DPA_THREAD, "doca_dpa_dev_thread_get_local_storage");
        return thread.load64(context + ThreadContext.LOCAL_STORAGE);
    }

    /// DPA-DC-2: `doca_dpa_dev_device_set`: selects the function of the card whose objects the
    /// calling thread uses from now on: sync events, memory, RDMA contexts and the like that were
    /// made with that context. Those on another one are a fault. An activation, and a thread of a
    /// kernel, begins with the function of the base context.
    ///
    /// Of asynchronous copies, only those on the function that is selected are waited for.
    ///
    /// @param context the [handle][dev.outboard.dpa.doca.DocaDpa#handle] of a context
    public static void deviceSet(DpaThread thread, long context) {
        ThreadContext.select(thread, context);
    }

    /// DPA-TH-3: `doca_dpa_dev_thread_notify`: activates a DPA thread, which sees what the caller
    /// has done before.
    ///
    /// @param notification the handle of a
    ///   [notification][dev.outboard.dpa.doca.DocaDpaNotification]
    public static void threadNotify(DpaThread thread, long notification) {
        ThreadContext.check(thread, "notification", notification, NotificationDescriptor.FUNCTION);
        ThreadContext.release(thread);
        ThreadContext.takeOutbox(thread);
        FlexioDev.triggerCompletionQueue(
                thread, (int) thread.load64(notification + NotificationDescriptor.QUEUE));
    }
}
