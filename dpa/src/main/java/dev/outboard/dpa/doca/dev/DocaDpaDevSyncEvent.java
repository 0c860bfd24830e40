package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.nic.layout.WaitSegment;

/// DPA-SE-4: sync events in device code: `doca_dpa_dev_sync_event.h`. Kernels call it, with the
/// [handle][dev.outboard.doca.sync.SyncEvent#handle] of an event.
///
/// DPA-SE-7: an update releases what the thread has done before, in DPA memory and through its
/// window, and a wait that has ended acquires what the updater has done: these calls contain the
/// fences and cache operations that this takes.
///
/// DPA-ERR-22: device code that does with an event what was not declared for the DPA ends its
/// context.
public final class DocaDpaDevSyncEvent {
    private static final long ALL = -1;

    private DocaDpaDevSyncEvent() {}

    /// `doca_dpa_dev_sync_event_update_set`: sets the value.
    public static void updateSet(DpaThread thread, long event, long value) {
        long context = release(thread, event);
        Channel.set(thread, context, address(thread, event), key(thread, event), value);
    }

    /// `doca_dpa_dev_sync_event_update_add`: adds to the value.
    ///
    /// DPA-SE-6: in one step towards every other update; the result is modulo 2^64.
    public static void updateAdd(DpaThread thread, long event, long addend) {
        long context = release(thread, event);
        Channel.add(thread, context, address(thread, event), key(thread, event), addend);
    }

    private static long release(DpaThread thread, long event) {
        long context = ThreadContext.of(thread);
        declared(thread, event, EventDescriptor.UPDATES, "updated");
        ThreadContext.release(thread);
        return context;
    }

    /// `doca_dpa_dev_sync_event_get`: the value.
    public static long get(DpaThread thread, long event) {
        open(thread, event);
        long value = load(thread, event);
        close(thread);
        return value;
    }

    /// `doca_dpa_dev_sync_event_wait_gt`, as the DPA guide has it: waits until the value is greater
    /// than a threshold.
    public static void waitGt(DpaThread thread, long event, long threshold) {
        waitGt(thread, event, threshold, ALL);
    }

    /// `doca_dpa_dev_sync_event_wait_gt`: waits until the value is greater than a threshold, both
    /// unsigned. The thread keeps its execution unit.
    ///
    /// @param mask the bits of the value that count
    public static void waitGt(DpaThread thread, long event, long threshold, long mask) {
        open(thread, event);
        long value = load(thread, event);
        if (Long.compareUnsigned(value & mask, threshold) <= 0) {
            EventWait.begin(event, threshold, mask, value);
            awaitGreater(thread, event, threshold, mask, value);
            EventWait.end();
            thread.resume();
        }
        close(thread);
    }

    private static void awaitGreater(
            DpaThread thread, long event, long threshold, long mask, long first) {
        long seen = first;
        while (Long.compareUnsigned(seen & mask, threshold) <= 0) {
            thread.pause();
            long value = load(thread, event);
            if (value != seen) {
                EventWait.saw(value);
                seen = value;
            }
        }
    }

    /// DPA-SE-10: `doca_dpa_dev_sync_event_post_wait_gt`: does not wait itself: when the value is
    /// greater, there is a completion, which activates the thread of its context.
    ///
    /// @param asyncOps the handle of a [context][dev.outboard.dpa.doca.DocaDpaAsyncOps], which one
    ///   thread uses at a time
    /// @param value 0 to 254; any other is a fault
    public static void postWaitGt(DpaThread thread, long asyncOps, long event, long value) {
        declared(thread, event, EventDescriptor.WAITS, "waited for");
        PostedWait.post(thread, asyncOps, event, WaitSegment.BIGGER, false, value);
    }

    /// DPA-SE-10: `doca_dpa_dev_sync_event_post_wait_ne`: the same when the value is another one.
    public static void postWaitNe(DpaThread thread, long asyncOps, long event, long value) {
        declared(thread, event, EventDescriptor.WAITS, "waited for");
        PostedWait.post(thread, asyncOps, event, WaitSegment.EQUAL, true, value);
    }

    /// The window is that of the event from here to [#close].
    private static void open(DpaThread thread, long event) {
        declared(thread, event, EventDescriptor.WAITS, "got or waited for");
        configure(thread, key(thread, event));
    }

    private static long load(DpaThread thread, long event) {
        thread.windowReadInv();
        return thread.load64(thread.window(address(thread, event)));
    }

    /// What the thread does from here on comes after the value that it has seen, and its window is
    /// that of its program again.
    private static void close(DpaThread thread) {
        thread.systemFence();
        thread.windowReadInv();
        int key = (int) thread.load64(ThreadContext.of(thread) + ThreadContext.KEY);
        if (key != 0) {
            configure(thread, key);
        }
    }

    private static void configure(DpaThread thread, int key) {
        long context = ThreadContext.of(thread);
        if (!thread.configureWindow((int) thread.load64(context + ThreadContext.WINDOW), key)) {
            throw new FaultSignal(
                    Fault.WINDOW_DENIED, "memory with key 0x%x is gone".formatted(key));
        }
    }

    private static long address(DpaThread thread, long event) {
        return thread.load64(event + EventDescriptor.ADDRESS);
    }

    private static int key(DpaThread thread, long event) {
        return (int) thread.load64(event + EventDescriptor.KEY);
    }

    private static void declared(DpaThread thread, long event, int side, String how) {
        if (thread.load64(event + side) != EventDescriptor.YES) {
            throw new FaultSignal(
                    Fault.EVENT_SIDE,
                    "the sync event at 0x%x may not be %s by the DPA".formatted(event, how));
        }
        ThreadContext.check(thread, "sync event", event, EventDescriptor.FUNCTION);
    }
}
