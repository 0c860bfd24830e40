package dev.outboard.fabric.roce;

import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NotificationHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The notifications of some completion queues, and the one thread that may sleep until there is
/// one. Each completion queue has one of its own, too, for who waits for just that.
final class RoceCompletionChannel implements CompletionChannel {
    private final RoceDevice device;
    private final AtomicInteger queues = new AtomicInteger();

    /// The queues it was told of, linked through [RoceCompletionQueue#nextNotified].
    private final AtomicReference<@Nullable RoceCompletionQueue> told = new AtomicReference<>();

    private volatile boolean notified;
    private volatile @Nullable Thread sleeper;
    private volatile @Nullable NotificationHandle handle;
    private volatile boolean closed;

    RoceCompletionChannel(RoceDevice device) {
        this.device = device;
    }

    boolean isOf(RoceDevice other) {
        return device.equals(other);
    }

    void joined() {
        queues.incrementAndGet();
    }

    void left() {
        queues.decrementAndGet();
    }

    @Override
    public boolean await(long timeoutNanos) {
        boolean isNotified = device.drivers().await(this, null, timeoutNanos);
        if (isNotified) {
            notified = false;
        }
        return isNotified;
    }

    @Override
    public void takeNotified(Consumer<? super CompletionQueue> action) {
        RoceCompletionQueue queue = told.getAndSet(null);
        while (queue != null) {
            RoceCompletionQueue next = queue.nextNotified;
            // From here on it may enter the list again.
            queue.clearNotified();
            if (!queue.isClosed()) {
                action.accept(queue);
            }
            queue = next;
        }
    }

    /// `queue` is notified.
    void add(RoceCompletionQueue queue) {
        if (queue.markNotified()) {
            RoceCompletionQueue head;
            do {
                head = told.get();
                queue.nextNotified = head;
            } while (!told.compareAndSet(head, queue));
        }
        wake();
    }

    @Override
    public void wake() {
        notified = true;
        NotificationHandle attached = handle;
        if (attached != null) {
            attached.signal();
        }
        endWait();
    }

    @Override
    public void attach(NotificationHandle handle) {
        this.handle = handle;
        if (notified) {
            handle.signal();
        }
    }

    @Override
    public void close() {
        if (queues.get() > 0) {
            throw new FabricException(
                    Reason.IN_USE,
                    "completion channel of "
                            + device.name()
                            + " still has "
                            + queues.get()
                            + " completion queues; close them first");
        }
        device.drivers().remove(this);
        abandon();
    }

    /// Ends a wait for good.
    void abandon() {
        closed = true;
        endWait();
    }

    private void endWait() {
        if (!unpark()) {
            device.drivers().wakeLeader(this);
        }
    }

    boolean isNotified() {
        return notified;
    }

    /// Only what happens from now on counts.
    void forget() {
        notified = false;
    }

    boolean isClosed() {
        return closed;
    }

    /// Sleeps until [#unpark], at most `nanos`; may return early.
    void park(long nanos) {
        sleeper = Thread.currentThread();
        if (!notified && !closed) {
            LockSupport.parkNanos(this, nanos);
        }
        sleeper = null;
    }

    /// Wakes the thread in [#park] if it may lead; false if there is no such thread.
    boolean unparkToLead() {
        Thread thread = sleeper;
        return thread != null && !thread.isVirtual() && unpark();
    }

    /// Wakes the thread in [#park]; false if there is none.
    boolean unpark() {
        Thread thread = sleeper;
        if (thread == null) {
            return false;
        }
        LockSupport.unpark(thread);
        return true;
    }
}
