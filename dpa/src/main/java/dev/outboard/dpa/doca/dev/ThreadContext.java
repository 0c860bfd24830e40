package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;

/// What the runtime keeps of each of its threads for the device functions: words of DPA memory, in
/// what FlexIO calls the local storage of the thread. The host fills it when it makes the thread.
///
/// Beside rank and window there is a channel: a queue pair that is connected with itself, by which
/// the thread has the NIC write and add to memory of the host in one step, and copy.
public final class ThreadContext {
    /// The rank of the thread in its kernel.
    public static final int RANK = 0;

    /// How many threads the kernel has.
    public static final int THREADS = 8;

    /// The outbox of its doorbells.
    public static final int OUTBOX = 16;

    /// Its window.
    public static final int WINDOW = 24;

    /// The key of the window that the program has asked for, or 0.
    public static final int KEY = 32;

    /// The number of the channel.
    public static final int QUEUE = 40;

    /// Where the blocks of its send queue are.
    public static final int SEND_RING = 48;

    /// Where its completions are.
    public static final int COMPLETION_RING = 56;

    /// Where the consumer index of those is.
    public static final int COMPLETION_RECORD = 64;

    /// How many entries the channel has sent.
    public static final int SENT = 72;

    /// Where a value that an atomic brings back goes.
    public static final int RESULT = 80;

    /// The key of that.
    public static final int RESULT_KEY = 88;

    /// How many of those have completed, as far as the thread has looked.
    public static final int DONE = 96;

    /// What it runs: [#KERNEL], [#RPC] or [#DPA_THREAD].
    public static final int KIND = 112;

    /// The address that a DPA thread was given for what it keeps between activations, or 0.
    public static final int LOCAL_STORAGE = 120;

    /// A thread of a kernel that was launched.
    public static final long KERNEL = 0;

    /// A function that the host waits for.
    public static final long RPC = 1;

    /// A DPA thread.
    public static final long DPA_THREAD = 2;

    /// How long it is.
    public static final int BYTES = 128;

    /// The binary logarithm of the entries of the rings of the channel.
    public static final int LOG_ENTRIES = 4;

    private ThreadContext() {}

    /// That of the calling thread.
    static long of(DpaThread thread) {
        long context = thread.localStorage();
        if (context == 0) {
            throw new FaultSignal(
                    Fault.NO_DOCA_THREAD,
                    "thread %d is none of a DOCA DPA context".formatted(thread.number()));
        }
        return context;
    }

    /// That of the calling thread, which has to be of a kind.
    ///
    /// @param call the function that is for threads of that kind only
    static long of(DpaThread thread, long kind, String call) {
        long context = of(thread);
        if (thread.load64(context + KIND) != kind) {
            throw new FaultSignal(
                    Fault.WRONG_THREAD,
                    "%s in thread %d: it is for %s only"
                            .formatted(
                                    call,
                                    thread.number(),
                                    kind == KERNEL ? "threads of kernels" : "DPA threads"));
        }
        return context;
    }

    /// DPA-OPM-13: what a call that signals does first: what the thread has done before is visible
    /// to whoever sees the signal.
    static void release(DpaThread thread) {
        thread.memoryWriteback();
        thread.windowWriteback();
        thread.systemFence();
    }

    /// The doorbells of the calling thread go through the outbox of the runtime from now on.
    static void takeOutbox(DpaThread thread) {
        thread.configureOutbox((int) thread.load64(of(thread) + OUTBOX));
    }

    /// Tells the NIC up to where a send queue is posted. What it will read has been written back.
    static void ringSendDoorbell(DpaThread thread, long posted, int queue) {
        takeOutbox(thread);
        FlexioDev.ringSendDoorbell(thread, (int) posted, queue);
    }

    /// Has the window of the calling thread reach memory from now on, for its program.
    ///
    /// @param key of memory of the host
    static void open(DpaThread thread, int key) {
        long context = of(thread);
        if (!thread.configureWindow((int) thread.load64(context + WINDOW), key)) {
            throw new FaultSignal(
                    Fault.WINDOW_DENIED, "key 0x%x is none of memory outside".formatted(key));
        }
        thread.store64(context + KEY, key);
    }
}
