package dev.outboard.fabric.roce.memory;

import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Finds an object by its 32-bit number without a lock and without allocating, while control
/// threads add and remove. Each change publishes a fresh open-addressed table, so a reader always
/// sees a whole one.
///
/// @param <E> what is found
public final class KeyedTable<E> {
    private static final int MIN_SLOTS = 16;

    private volatile Slots<E> slots = new Slots<>(MIN_SLOTS);
    private int count;

    /// The object added under `key`, or null. Any thread.
    public @Nullable E find(int key) {
        return slots.find(key);
    }

    /// Adds `value` under `key`, which must be free.
    public synchronized void add(int key, E value) {
        count++;
        Slots<E> fresh = copyOf(any -> true);
        fresh.insert(key, value);
        slots = fresh;
    }

    /// Removes what was added under `key`; harmless if there is nothing.
    public synchronized void remove(int key) {
        if (slots.find(key) != null) {
            count--;
            slots = copyOf(other -> other != key);
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

    private Slots<E> copyOf(IntPredicate keeps) {
        Slots<E> fresh = new Slots<>(Math.max(MIN_SLOTS, Integer.highestOneBit(count) << 2));
        for (int i = 0; i < slots.keys.length; i++) {
            E value = slots.value(i);
            if (value != null && keeps.test(slots.keys[i])) {
                fresh.insert(slots.keys[i], value);
            }
        }
        return fresh;
    }

    private static final class Slots<E> {
        private final int[] keys;
        private final @Nullable Object[] values;

        Slots(int size) {
            keys = new int[size];
            values = new Object[size];
        }

        @SuppressWarnings("unchecked") // only insert stores, and it stores E
        @Nullable E value(int slot) {
            return (E) values[slot];
        }

        @Nullable E find(int key) {
            int mask = keys.length - 1;
            int slot = home(key) & mask;
            while (values[slot] != null) {
                if (keys[slot] == key) {
                    return value(slot);
                }
                slot = (slot + 1) & mask;
            }
            return null;
        }

        void insert(int key, E value) {
            int mask = keys.length - 1;
            int slot = home(key) & mask;
            while (values[slot] != null) {
                slot = (slot + 1) & mask;
            }
            keys[slot] = key;
            values[slot] = value;
        }

        private static int home(int key) {
            return (key * 0x9E3779B9) >>> 7;
        }
    }
}
