package dev.outboard.fabric.verbs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// A bounded ring of reusable slots between one filling thread and one draining thread. `posted` is
/// stored with release after a slot is filled, `head` after a slot is done with; each side acquires
/// the other's. Positions only grow.
///
/// A slot is made when it is filled for the first time: ten thousand queue pairs that carry one
/// message now and then take the memory of few.
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

    private final @Nullable Object[] slots;
    private final IntFunction<E> maker;
    private final int mask;
    private final int capacity;

    @SuppressWarnings("unused") // through POSTED
    private long posted;

    @SuppressWarnings("unused") // through HEAD
    private long head;

    /// An empty ring.
    ///
    /// @param maker makes the slot of an index, once
    public SlotRing(int capacity, IntFunction<E> maker) {
        this.capacity = capacity;
        this.maker = maker;
        int size = Integer.highestOneBit(Math.max(1, capacity - 1)) << 1;
        mask = size - 1;
        slots = new Object[size];
    }

    public int capacity() {
        return capacity;
    }

    /// The slot to fill next, or null if the ring is full. Filling thread.
    @Nullable E free() {
        long position = (long) POSTED.getOpaque(this);
        if (position - (long) HEAD.getAcquire(this) >= capacity) {
            return null;
        }
        int index = (int) position & mask;
        if (slots[index] == null) {
            slots[index] = maker.apply(index);
        }
        return at(position);
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

    /// The slot at `position`, which is filled.
    @SuppressWarnings("unchecked") // only free stores, and it stores E
    public E at(long position) {
        return (E) Objects.requireNonNull(slots[(int) position & mask]);
    }

    /// Frees the oldest slot. Draining thread.
    public void removeHead() {
        HEAD.setRelease(this, head() + 1);
    }
}
