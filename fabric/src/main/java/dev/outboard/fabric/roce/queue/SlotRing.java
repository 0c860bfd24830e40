package dev.outboard.fabric.roce.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// A bounded ring of reusable slots between one filling thread and one draining thread. `posted` is
/// stored with release after a slot is filled, `head` after a slot is done with; each side acquires
/// the other's. Positions only grow.
///
/// @param <E> a slot
public final class SlotRing<E> {
    private static final VarHandle POSTED;
    private static final VarHandle HEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            POSTED = lookup.findVarHandle(SlotRing.class, "posted", long.class);
            HEAD = lookup.findVarHandle(SlotRing.class, "head", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Object[] slots;
    private final int mask;
    private final int capacity;

    @SuppressWarnings("unused") // through POSTED
    private long posted;

    @SuppressWarnings("unused") // through HEAD
    private long head;

    public SlotRing(int capacity, IntFunction<E> slot) {
        this.capacity = capacity;
        int size = Integer.highestOneBit(Math.max(1, capacity - 1)) << 1;
        mask = size - 1;
        slots = new Object[size];
        for (int i = 0; i < size; i++) {
            slots[i] = slot.apply(i);
        }
    }

    public int capacity() {
        return capacity;
    }

    /// The slot to fill next, or null if the ring is full. Filling thread.
    @Nullable E free() {
        long position = (long) POSTED.getOpaque(this);
        return position - (long) HEAD.getAcquire(this) < capacity ? at(position) : null;
    }

    /// Makes the slot from [#free] visible to the draining thread. Filling thread.
    public void publish() {
        POSTED.setRelease(this, (long) POSTED.getOpaque(this) + 1);
    }

    public boolean isEmpty() {
        return head() == posted();
    }

    /// The position behind the newest filled slot.
    public long posted() {
        return (long) POSTED.getAcquire(this);
    }

    /// The position of the oldest filled slot; equal to [#posted] if there is none. Draining
    /// thread.
    public long head() {
        return (long) HEAD.getOpaque(this);
    }

    @SuppressWarnings("unchecked") // only the constructor stores, and it stores E
    public E at(long position) {
        return (E) slots[(int) position & mask];
    }

    /// Frees the oldest slot. Draining thread.
    public void removeHead() {
        HEAD.setRelease(this, head() + 1);
    }
}
