package dev.outboard.naa.client;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;

/// The completions of one client in a [SharedQueue]: a completion queue like any other to the
/// thread that has the client's turn. What the thread that leads the shared queue finds for this
/// client waits here.
final class QueueShare implements CompletionQueue {
    private static final int NO_QUEUE_PAIR = -1;

    private final SharedQueue shared;
    private final Sleeper own = new Sleeper();
    private volatile Sleeper sleeper = own;
    private volatile int queuePair = NO_QUEUE_PAIR;
    private boolean isArmed;

    private final Completion[] slots;
    private volatile long head;
    private volatile long tail;

    QueueShare(SharedQueue shared, int capacity) {
        this.shared = shared;
        this.slots = new Completion[capacity];
        for (int i = 0; i < capacity; i++) {
            slots[i] = new Completion();
        }
    }

    SharedQueue shared() {
        return shared;
    }

    /// Gets the completions of this queue pair from now on.
    void serve(int queuePairNumber) {
        queuePair = queuePairNumber;
    }

    boolean isOf(Completion completion) {
        return completion.queuePairNumber() == queuePair;
    }

    // ---- the thread that leads ------------------------------------------------------------------

    /// Keeps a completion and wakes whoever waits for it.
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread leads
    void put(Completion added) {
        assert tail - head < slots.length : "more completions than work requests";
        slots[(int) (tail % slots.length)].copyFrom(added);
        tail++;
        sleeper.wake();
    }

    // ---- the thread that has the client's turn --------------------------------------------------

    /// Takes what was put here.
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread takes
    boolean take(Completion into) {
        if (isEmpty()) {
            return false;
        }
        into.copyFrom(slots[(int) (head % slots.length)]);
        head++;
        return true;
    }

    boolean isEmpty() {
        return head == tail;
    }

    /// Wakes `other` from now on, which looks after several shares and leads for all of them.
    void hand(Sleeper other) {
        sleeper = other;
    }

    /// Wakes the thread in [#await] again.
    void takeBack() {
        sleeper = own;
    }

    @Override
    public boolean poll(Completion into) {
        boolean looksFurther = sleeper == own && !isArmed;
        isArmed = false;
        return take(into) || (looksFurther && shared.poll(this, into));
    }

    /// The poll that follows looks here only: [#await] arms the shared queue and polls that.
    @Override
    public void requestNotification(boolean solicitedOnly) {
        own.reset();
        isArmed = true;
    }

    @Override
    public boolean await(long timeoutNanos) {
        if (isEmpty()) {
            shared.await(own, timeoutNanos);
        }
        return !isEmpty();
    }

    @Override
    public int capacity() {
        return slots.length;
    }

    @Override
    public void close() {
        shared.remove(this);
    }
}
