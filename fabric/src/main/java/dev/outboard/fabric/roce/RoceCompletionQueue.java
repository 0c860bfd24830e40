package dev.outboard.fabric.roce;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.roce.queue.CompletionRing;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A completion queue whose consumer drives the engine when it finds nothing, and can sleep.
final class RoceCompletionQueue implements CompletionQueue, CompletionRing.Notification {
    private final RoceDevice device;
    private final CompletionRing ring;
    private final AtomicInteger queuePairs = new AtomicInteger();
    private volatile boolean notified;
    private volatile @Nullable Thread sleeper;
    private volatile boolean closed;

    RoceCompletionQueue(RoceDevice device, int capacity) {
        this.device = device;
        this.ring = new CompletionRing(capacity, this);
    }

    CompletionRing ring() {
        return ring;
    }

    boolean isOf(RoceDevice other) {
        return device.equals(other);
    }

    void joined() {
        queuePairs.incrementAndGet();
    }

    void left() {
        queuePairs.decrementAndGet();
    }

    @Override
    public boolean poll(Completion into) {
        if (ring.poll(into)) {
            return true;
        }
        device.drivers().drive(this);
        return ring.poll(into);
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        notified = false;
        ring.arm(solicitedOnly);
    }

    @Override
    public boolean await(long timeoutNanos) {
        return device.drivers().await(this, timeoutNanos);
    }

    @Override
    public int capacity() {
        return ring.capacity();
    }

    @Override
    public void completionAdded(CompletionRing from) {
        notified = true;
        unpark();
    }

    @Override
    public void overrun() {
        device.events().add(AsyncEvent.Type.CQ_ERROR, this);
    }

    @Override
    public void close() {
        if (queuePairs.get() > 0) {
            throw new FabricException(
                    Reason.IN_USE,
                    "completion queue of "
                            + device.name()
                            + " still serves "
                            + queuePairs.get()
                            + " queue pair ends; close the queue pairs first");
        }
        closed = true;
        device.remove(this);
        unpark();
    }

    /// Ends a wait for good: the device closes.
    void abandon() {
        closed = true;
        unpark();
    }

    boolean isNotified() {
        return notified;
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
