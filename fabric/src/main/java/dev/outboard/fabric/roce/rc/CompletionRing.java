package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import java.lang.invoke.VarHandle;

/// A bounded queue of completions between the thread that drives the device (one at a time, adds)
/// and the consumer (one thread at a time, polls). A completion is published with release after its
/// payload was stored, so a consumer that takes it sees every payload byte (roce.md 3.9, data
/// visibility).
public final class CompletionRing {
    /// Told when a completion comes that the consumer asked to be woken for.
    public interface Notification {
        void completionAdded(CompletionRing ring);
    }

    private static final int NOT_ARMED = 0;
    private static final int ARMED_SOLICITED = 1;
    private static final int ARMED = 2;

    private final SlotRing<Completion> slots;
    private final Notification notification;
    private volatile int armed = NOT_ARMED;

    /// An empty queue for `capacity` completions.
    public CompletionRing(int capacity, Notification notification) {
        this.notification = notification;
        this.slots = new SlotRing<>(capacity, i -> new Completion());
    }

    /// How many completions fit.
    public int capacity() {
        return slots.capacity();
    }

    /// Adds a completion; false if the queue is full.
    ///
    /// @param solicited whether it wakes a consumer that waits for solicited completions only;
    ///   errors always do
    boolean add(
            long id,
            CompletionStatus status,
            CompletionOpcode opcode,
            int queuePairNumber,
            long byteCount,
            boolean hasImmediate,
            int immediate,
            boolean solicited) {
        Completion slot = slots.free();
        if (slot == null) {
            return false;
        }
        slot.set(id, status, opcode, queuePairNumber, byteCount, hasImmediate, immediate);
        slots.publish();
        // The consumer arms, then polls once more: without this fence both could miss each other.
        VarHandle.fullFence();
        int wanted = armed;
        if (wanted == ARMED
                || (wanted == ARMED_SOLICITED
                        && (solicited || status != CompletionStatus.SUCCESS))) {
            armed = NOT_ARMED;
            notification.completionAdded(this);
        }
        return true;
    }

    /// Takes the oldest completion; false if there is none.
    public boolean poll(Completion into) {
        if (slots.isEmpty()) {
            return false;
        }
        Completion oldest = slots.at(slots.head());
        into.set(
                oldest.id(),
                oldest.status(),
                oldest.opcode(),
                oldest.queuePairNumber(),
                oldest.byteCount(),
                oldest.hasImmediate(),
                oldest.immediate());
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
