package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NotificationHandle;
import dev.outboard.fabric.drive.WaitPoint;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The notifications of some completion queues, and the one thread that may sleep until there is
/// one.
final class RoceCompletionChannel implements CompletionChannel {
    private final RoceDevice device;
    private final AtomicInteger queues = new AtomicInteger();
    private final WaitPoint point;
    private volatile @Nullable CompletionChannel attached;
    private volatile boolean closed;

    /// The queues it was told of, linked through [RoceCompletionQueue#nextNotified].
    private final AtomicReference<@Nullable RoceCompletionQueue> told = new AtomicReference<>();

    RoceCompletionChannel(RoceDevice device) {
        this.device = device;
        this.point = new WaitPoint(device.drivers());
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
        device.engine().requireOutside("await");
        return device.drivers().await(point, timeoutNanos) && point.takeNotified();
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
        point.wake();
        CompletionChannel other = attached;
        if (other != null) {
            other.wake();
        }
    }

    @Override
    public void attach(NotificationHandle handle) {
        point.attach(handle);
    }

    @Override
    public void attach(CompletionChannel other) {
        attached = other;
        if (point.isNotified()) {
            other.wake();
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
        closed = true;
        point.close();
    }

    void requireOpen() {
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED, "completion channel of " + device.name() + " is closed");
        }
    }
}
