package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.drive.Drivers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/// The asynchronous events of a device that nobody has taken yet. Bounded: an application that
/// never looks loses the newest ones, and a counter says how many.
final class EventQueue {
    private static final int CAPACITY = 1024;

    private final BlockingQueue<AsyncEvent> events = new ArrayBlockingQueue<>(CAPACITY);
    private final AtomicLong lost = new AtomicLong();

    /// Any thread; does not wait.
    void add(AsyncEvent.Type type, AutoCloseable source) {
        if (!events.offer(new AsyncEvent(type, source))) {
            lost.incrementAndGet();
        }
    }

    Optional<AsyncEvent> next(Drivers drivers, Duration timeout) {
        return Optional.ofNullable(drivers.take(events, timeout.toNanos()));
    }

    long lost() {
        return lost.get();
    }
}
