package dev.outboard.dpa.doca.dev;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a thread of a kernel waits for, as others see it from the side: lists of kernels, and the
/// search for a deadlock. It is kept beside the memory of the machine, so that to look at it
/// changes nothing of the run.
public final class EventWait {
    private static final ThreadLocal<@Nullable EventWait> CURRENT = new ThreadLocal<>();

    private boolean waits;
    private long event;
    private long threshold;
    private long mask;
    private long value;

    /// Of a thread that does not wait.
    public EventWait() {}

    /// That the masked value of an event is greater than a threshold.
    ///
    /// @param event its handle
    /// @param value what the thread has seen last
    public record Condition(long event, long threshold, long mask, long value) {}

    /// The calling thread of Java runs a thread of a kernel from now on, whose waits are noted in
    /// this.
    public synchronized void follow() {
        waits = false;
        CURRENT.set(this);
    }

    static void begin(long event, long threshold, long mask, long value) {
        EventWait current = CURRENT.get();
        if (current != null) {
            current.set(event, threshold, mask, value);
        }
    }

    /// The event has another value than before, and not yet one that ends the wait.
    static void saw(long value) {
        EventWait current = CURRENT.get();
        if (current != null) {
            current.see(value);
        }
    }

    static void end() {
        EventWait current = CURRENT.get();
        if (current != null) {
            current.clear();
        }
    }

    private synchronized void set(long event, long threshold, long mask, long value) {
        waits = true;
        this.event = event;
        this.threshold = threshold;
        this.mask = mask;
        this.value = value;
    }

    private synchronized void see(long value) {
        this.value = value;
    }

    private synchronized void clear() {
        waits = false;
    }

    /// What the thread waits for at this moment, if it waits.
    public synchronized Optional<Condition> now() {
        return waits ? Optional.of(new Condition(event, threshold, mask, value)) : Optional.empty();
    }
}
