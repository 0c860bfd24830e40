package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionSink;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.drive.WaitPoint;
import dev.outboard.fabric.verbs.CompletionRing;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A completion queue whose consumer drives the engine when it finds nothing, and can sleep.
final class RoceCompletionQueue implements CompletionQueue, CompletionRing.Notification {
    private static final Logger LOGGER = System.getLogger(RoceCompletionQueue.class.getName());
    private static final VarHandle NOTIFIED;

    static {
        try {
            NOTIFIED =
                    MethodHandles.lookup()
                            .findVarHandle(RoceCompletionQueue.class, "notified", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final RoceDevice device;

    /// Where the thread in [#await] sleeps.
    private final WaitPoint point;

    /// Where it is waited for with others.
    private final @Nullable RoceCompletionChannel shared;

    private final CompletionRing ring;
    private final AtomicInteger queuePairs = new AtomicInteger();

    /// A thread is in [#await], and has not been notified.
    private final AtomicBoolean isAwaited = new AtomicBoolean();

    /// The next in the list of those that the channel was told of.
    @Nullable RoceCompletionQueue nextNotified;

    @SuppressWarnings("unused") // through NOTIFIED
    private boolean notified;

    private boolean hasSinkFailed;
    private volatile boolean closed;

    /// A queue that can be waited for by itself and, if there is a channel, with others, too.
    RoceCompletionQueue(RoceDevice device, int capacity, @Nullable RoceCompletionChannel shared) {
        this.device = device;
        this.point = new WaitPoint(device.drivers());
        this.shared = shared;
        this.ring = new CompletionRing(capacity, this);
        if (shared != null) {
            shared.joined();
        }
        device.completionQueueOpened();
    }

    /// A queue that hands its completions to `sink`.
    RoceCompletionQueue(RoceDevice device, CompletionSink sink) {
        this.device = device;
        this.point = new WaitPoint(device.drivers());
        this.shared = null;
        this.ring = new CompletionRing(sink, this);
        device.completionQueueOpened();
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
        device.drivers().drive();
        return ring.poll(into);
    }

    @Override
    public boolean take(Completion into) {
        return ring.poll(into);
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        point.forget();
        ring.arm(solicitedOnly);
    }

    @Override
    public boolean await(long timeoutNanos) {
        device.engine().requireOutside("await");
        isAwaited.set(true);
        boolean isNotified = device.drivers().await(point, timeoutNanos);
        return !isAwaited.getAndSet(false) || isNotified;
    }

    @Override
    public void wake() {
        point.wake();
    }

    @Override
    public int capacity() {
        return ring.capacity();
    }

    @Override
    public void completionAdded(CompletionRing from) {
        boolean isAlone = isAwaited.getAndSet(false);
        point.wake();
        if (shared != null && !isAlone) {
            shared.add(this);
        }
    }

    @Override
    public void sinkFailed(Throwable failure) {
        device.sinkFailed();
        if (!hasSinkFailed) {
            hasSinkFailed = true;
            LOGGER.log(
                    Level.ERROR,
                    "a completion sink of " + device.name() + " failed; further times are counted",
                    failure);
        }
    }

    /// It enters the list of its channel; false if it is there already.
    boolean markNotified() {
        return !(boolean) NOTIFIED.getAndSet(this, true);
    }

    /// It has left the list of its channel.
    void clearNotified() {
        NOTIFIED.setVolatile(this, false);
    }

    boolean isClosed() {
        return closed;
    }

    void requireOpen() {
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED, "completion queue of " + device.name() + " is closed");
        }
    }

    @Override
    public void overrun() {
        device.events().add(AsyncEvent.Type.CQ_ERROR, this);
    }

    @Override
    public synchronized void close() {
        if (queuePairs.get() > 0) {
            throw new FabricException(
                    Reason.IN_USE,
                    "completion queue of "
                            + device.name()
                            + " still serves "
                            + queuePairs.get()
                            + " queue pair ends; close the queue pairs first");
        }
        if (closed) {
            return;
        }
        closed = true;
        device.completionQueueClosed();
        point.close();
        if (shared != null) {
            shared.left();
        }
    }
}
