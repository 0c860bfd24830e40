package dev.outboard.fabric.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Finds an object by its 32-bit number without a lock and without allocating, while control
/// threads add and remove.
///
/// An open-addressed table in which a slot is filled once: its key is stored before its value is
/// released, and a removed value leaves a mark behind. So a reader never sees the key of one object
/// with the value of another. When half of the slots are used up a fresh table takes over; that
/// makes adding and removing constant in time, taken over many.
///
/// @param <E> what is found
public final class KeyedTable<E> {
    private static final int MIN_SLOTS = 16;

    private volatile Slots<E> slots = new Slots<>(MIN_SLOTS);
    private int count;

    /// Slots of the present table that are not free: objects, and marks of removed ones.
    private int used;

    /// The object added under `key`, or null. Any thread.
    public @Nullable E find(int key) {
        Slots<E> current = slots;
        int slot = current.slotOf(key);
        return slot < 0 ? null : current.value(slot);
    }

    /// Adds `value` under `key`.
    ///
    /// @throws IllegalArgumentException if there is something under it
    public synchronized void add(int key, E value) {
        if (slots.slotOf(key) >= 0) {
            throw new IllegalArgumentException("number 0x%x is taken".formatted(key));
        }
        if (2 * (used + 1) > slots.keys.length) {
            rebuild();
        }
        slots.insert(key, value);
        count++;
        used++;
    }

    /// Removes what was added under `key`; harmless if there is nothing.
    public synchronized void remove(int key) {
        int slot = slots.slotOf(key);
        if (slot >= 0) {
            slots.remove(slot);
            count--;
        }
    }

    /// Hands everything in the table to `action`. Any thread.
    public void forEach(Consumer<E> action) {
        Slots<E> current = slots;
        for (int i = 0; i < current.values.length; i++) {
            E value = current.value(i);
            if (value != null) {
                action.accept(value);
            }
        }
    }

    public synchronized int size() {
        return count;
    }

    /// At most a quarter full, so that it takes as many additions as it holds objects to use up
    /// half of it.
    private void rebuild() {
        Slots<E> fresh = new Slots<>(Math.max(MIN_SLOTS, Integer.highestOneBit(count) << 3));
        for (int i = 0; i < slots.keys.length; i++) {
            E value = slots.value(i);
            if (value != null) {
                fresh.insert(slots.keys[i], value);
            }
        }
        used = count;
        slots = fresh;
    }

    private static final class Slots<E> {
        private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(Object[].class);
        private static final Object REMOVED = new Object();

        private final int[] keys;
        private final @Nullable Object[] values;

        Slots(int size) {
            keys = new int[size];
            values = new Object[size];
        }

        /// Null if there is none, or none any more.
        @SuppressWarnings("unchecked") // only insert stores anything else than REMOVED
        @Nullable E value(int slot) {
            Object value = VALUES.getAcquire(values, slot);
            return REMOVED.equals(value) ? null : (E) value;
        }

        /// Where `key` is, or -1.
        int slotOf(int key) {
            int mask = keys.length - 1;
            int slot = home(key) & mask;
            Object value = VALUES.getAcquire(values, slot);
            while (value != null) {
                if (keys[slot] == key && !REMOVED.equals(value)) {
                    return slot;
                }
                slot = (slot + 1) & mask;
                value = VALUES.getAcquire(values, slot);
            }
            return -1;
        }

        void insert(int key, E value) {
            int mask = keys.length - 1;
            int slot = home(key) & mask;
            while (values[slot] != null) {
                slot = (slot + 1) & mask;
            }
            keys[slot] = key;
            VALUES.setRelease(values, slot, value);
        }

        void remove(int slot) {
            VALUES.setRelease(values, slot, REMOVED);
        }

        private static int home(int key) {
            return (key * 0x9E3779B9) >>> 7;
        }
    }
}
