package dev.outboard.naa;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A completion queue of a [FakeFabric]. Any thread may add, any thread may wait.
final class FakeQueue implements CompletionQueue {
    private record Entry(
            int queuePair,
            long id,
            CompletionStatus status,
            CompletionOpcode opcode,
            long bytes,
            @Nullable Integer immediate) {}

    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final Semaphore notified = new Semaphore(0);
    private final AtomicBoolean isOpen = new AtomicBoolean(true);
    private final int capacity;
    private final Runnable whenClosed;
    private volatile @Nullable FakeCompletionChannel channel;

    FakeQueue(int capacity, Runnable whenClosed) {
        this.capacity = capacity;
        this.whenClosed = whenClosed;
    }

    void add(
            int queuePair,
            long id,
            CompletionStatus status,
            CompletionOpcode opcode,
            long bytes,
            @Nullable Integer immediate) {
        entries.add(new Entry(queuePair, id, status, opcode, bytes, immediate));
        notified.release();
        FakeCompletionChannel told = channel;
        if (told != null) {
            told.add(this);
        }
    }

    void reportTo(FakeCompletionChannel newChannel) {
        channel = newChannel;
    }

    @Override
    public boolean poll(Completion into) {
        Entry entry = entries.poll();
        if (entry == null) {
            return false;
        }
        into.set(entry.id, entry.status, entry.opcode, entry.queuePair, entry.bytes);
        if (entry.immediate != null) {
            into.setImmediate(entry.immediate);
        }
        return true;
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        notified.drainPermits();
    }

    @Override
    public boolean await(long timeoutNanos) {
        try {
            return notified.tryAcquire(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public void close() {
        if (isOpen.getAndSet(false)) {
            whenClosed.run();
        }
    }
}
