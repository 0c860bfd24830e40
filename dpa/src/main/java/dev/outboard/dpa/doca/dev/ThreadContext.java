package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;

/// What the runtime keeps of each of its threads for the device functions: words of DPA memory, in
/// what FlexIO calls the local storage of the thread. The host fills it when it makes the thread.
///
/// Beside rank and window there is a channel: a queue pair that is connected with itself, by which
/// the thread has the NIC write and add to memory of the host in one step, and copy. On each other
/// function of the card there is one more, with words as here: from [#OUTBOX] to [#DONE], and
/// [#FUNCTION].
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

    /// Where the channel is of the function that it has selected.
    public static final int SELECTED = 104;

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

    /// The handle of the context on whose function the channel is.
    public static final int FUNCTION = 128;

    /// On how many functions of the card a program is, at most.
    public static final int MOST_FUNCTIONS = 16;

    /// Where its channels are, see [#channel].
    private static final int CHANNELS = 136;

    /// How long it is.
    public static final int BYTES = CHANNELS + MOST_FUNCTIONS * Long.BYTES;

    /// The binary logarithm of the entries of the rings of the channel.
    public static final int LOG_ENTRIES = 4;

    private ThreadContext() {}

    /// Where the address of the channel is on the function with that index, or 0 if there is none.
    public static int channel(int index) {
        return CHANNELS + index * Long.BYTES;
    }

    /// An activation begins, or a thread of a kernel.
    ///
    /// DPA-DC-2: it begins with the function of the base context.
    public static void begin(DpaThread thread) {
        long own = own(thread);
        thread.store64(own + SELECTED, own);
    }

    /// DPA-DC-2: the calling thread uses what is on another function from now on. What it has
    /// opened by its window holds no more.
    ///
    /// @param function the handle of its context
    static void select(DpaThread thread, long function) {
        long own = own(thread);
        boolean isOne =
                thread.load64(function + FunctionDescriptor.ALIVE) == FunctionDescriptor.YES;
        long index = isOne ? thread.load64(function + FunctionDescriptor.INDEX) : 0;
        long channel = thread.load64(own + channel((int) index));
        if (!isOne || channel == 0) {
            throw new FaultSignal(
                    Fault.OTHER_FUNCTION, "no DPA context is at 0x%x".formatted(function));
        }
        if (channel != thread.load64(own + SELECTED)) {
            thread.store64(own + SELECTED, channel);
            thread.store64(channel + KEY, 0);
        }
    }

    /// DPA-DC-2: an object has to be on the function that the calling thread has selected.
    ///
    /// @param what it is
    /// @param handle its handle: where it is
    /// @param at where it has the handle of its context
    static void check(DpaThread thread, String what, long handle, int at) {
        long function = thread.load64(handle + at);
        long selected = thread.load64(of(thread) + FUNCTION);
        if (function != selected) {
            throw new FaultSignal(
                    Fault.OTHER_FUNCTION,
                    "the %s at 0x%x is on function %d of the card, and function %d is selected"
                            .formatted(
                                    what,
                                    handle,
                                    thread.load64(function + FunctionDescriptor.NUMBER),
                                    thread.load64(selected + FunctionDescriptor.NUMBER)));
        }
    }

    /// What the calling thread has on the function that it has selected.
    static long of(DpaThread thread) {
        return thread.load64(own(thread) + SELECTED);
    }

    /// That of the calling thread.
    static long own(DpaThread thread) {
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
        long context = own(thread);
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
                    Fault.WINDOW_DENIED,
                    "key 0x%x is none of memory outside on function %d of the card, which is selected"
                            .formatted(
                                    key,
                                    thread.load64(
                                            thread.load64(context + FUNCTION)
                                                    + FunctionDescriptor.NUMBER)));
        }
        thread.store64(context + KEY, key);
    }
}
