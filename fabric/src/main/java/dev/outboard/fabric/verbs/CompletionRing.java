package dev.outboard.fabric.verbs;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionSink;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A bounded queue of completions between the thread that drives the device (one at a time, adds)
/// and the consumer (one thread at a time, polls). A completion is published with release after its
/// payload was stored, so a consumer that takes it sees every payload byte (roce.md 3.9, data
/// visibility).
///
/// With a [CompletionSink] it is empty always: what is published is handed over at once.
public final class CompletionRing {
    /// Told what the consumer wants to know.
    public interface Notification {
        /// A completion came that the consumer asked to be woken for.
        void completionAdded(CompletionRing ring);

        /// A completion was lost for the first time, because the queue was full.
        default void overrun() {}

        /// The sink threw `failure`; the completion is gone.
        default void sinkFailed(Throwable failure) {}
    }

    private static final int NOT_ARMED = 0;
    private static final int ARMED_SOLICITED = 1;
    private static final int ARMED = 2;

    private final SlotRing<Completion> slots;
    private final Notification notification;
    private final @Nullable CompletionSink sink;
    private volatile int armed = NOT_ARMED;
    private boolean isOverrun;

    /// An empty queue for `capacity` completions.
    public CompletionRing(int capacity, Notification notification) {
        this(capacity, notification, null);
    }

    /// A queue that hands everything to `sink`.
    public CompletionRing(CompletionSink sink, Notification notification) {
        this(1, notification, sink);
    }

    private CompletionRing(int capacity, Notification notification, @Nullable CompletionSink sink) {
        this.notification = notification;
        this.sink = sink;
        this.slots = new SlotRing<>(capacity, i -> new Completion());
    }

    /// Whether completions go to a sink.
    public boolean handsOver() {
        return sink != null;
    }

    /// How many completions it holds at most.
    public int capacity() {
        return handsOver() ? 0 : slots.capacity();
    }

    /// The completion to fill and then to [#publish], or null if the queue is full. The thread that
    /// drives the device.
    public @Nullable Completion free() {
        return slots.free();
    }

    /// Adds the completion that [#free] gave.
    ///
    /// ROCE-RC-28: who waits for solicited completions only is woken by no other.
    ///
    /// @param solicited whether it wakes a consumer that waits for solicited completions only
    public void publish(boolean solicited) {
        slots.publish();
        if (sink != null) {
            handOver(sink);
        }
        // The consumer arms, then polls once more: without this fence both could miss each other.
        VarHandle.fullFence();
        int wanted = armed;
        if (wanted == ARMED || (wanted == ARMED_SOLICITED && solicited)) {
            armed = NOT_ARMED;
            notification.completionAdded(this);
        }
    }

    private void handOver(CompletionSink taker) {
        try {
            taker.completed(slots.at(slots.head()));
        } catch (RuntimeException | Error e) {
            // What the application gets wrong must not end the turn, which others share.
            notification.sinkFailed(e);
        } finally {
            slots.removeHead();
        }
    }

    /// A completion found no place: [#free] gave none. The thread that drives the device.
    public void overrun() {
        if (!isOverrun) {
            isOverrun = true;
            notification.overrun();
        }
    }

    /// Whether there is no completion to take.
    public boolean isEmpty() {
        return slots.isEmpty();
    }

    /// Takes the oldest completion; false if there is none. What is on its way to the sink is
    /// nobody else's.
    public boolean poll(Completion into) {
        if (sink != null || slots.isEmpty()) {
            return false;
        }
        into.copyFrom(slots.at(slots.head()));
        slots.removeHead();
        return true;
    }

    /// Asks for a notification at the next completion, or at the next solicited one.
    public void arm(boolean solicitedOnly) {
        armed =
                solicitedOnly
                        ? ARMED_SOLICITED
                        : ARMED; // volatile: ordered before the poll that follows
    }
}
