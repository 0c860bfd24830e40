package dev.outboard.naa;

import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.NotificationHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// A completion channel of a [FakeFabric]; its queues tell it of everything.
final class FakeCompletionChannel implements CompletionChannel {
    private final Queue<CompletionQueue> told = new ConcurrentLinkedQueue<>();
    private final Semaphore notified = new Semaphore(0);
    private final AtomicBoolean isOpen = new AtomicBoolean(true);
    private final Runnable whenClosed;

    FakeCompletionChannel(Runnable whenClosed) {
        this.whenClosed = whenClosed;
    }

    void add(CompletionQueue queue) {
        told.add(queue);
        notified.release();
    }

    @Override
    public boolean await(long timeoutNanos) {
        try {
            boolean came = notified.tryAcquire(timeoutNanos, TimeUnit.NANOSECONDS);
            notified.drainPermits();
            return came;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void takeNotified(Consumer<? super CompletionQueue> action) {
        for (CompletionQueue queue = told.poll(); queue != null; queue = told.poll()) {
            action.accept(queue);
        }
    }

    @Override
    public void wake() {
        notified.release();
    }

    @Override
    public void attach(NotificationHandle handle) {
        throw new UnsupportedOperationException("the NAA waits in no epoll");
    }

    @Override
    public void attach(CompletionChannel other) {
        throw new UnsupportedOperationException("the NAA waits for one device");
    }

    @Override
    public void close() {
        if (isOpen.getAndSet(false)) {
            whenClosed.run();
        }
    }
}
