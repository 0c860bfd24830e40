package dev.outboard.dpa.nic;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Finds an object by its number. The host adds and removes; any thread finds, without a lock and
/// without allocating.
///
/// @param <E> what is found
final class NumberTable<E> {
    /// Sorted, with the object of each number at the same place. Replaced with each change.
    private volatile Content content = new Content(new int[0], new Object[0]);

    private record Content(int[] numbers, Object[] values) {}

    /// The object that was added under the number, if there is one.
    @SuppressWarnings("unchecked") // add stores nothing else
    @Nullable E find(int number) {
        Content all = content;
        int at = Arrays.binarySearch(all.numbers, number);
        return at < 0 ? null : (E) all.values[at];
    }

    /// Adds an object under a number that is free.
    synchronized void add(int number, E value) {
        int[] numbers = content.numbers;
        int at = -Arrays.binarySearch(numbers, number) - 1;
        if (at < 0) {
            throw new IllegalArgumentException("Number 0x%x is taken".formatted(number));
        }
        int[] more = new int[numbers.length + 1];
        Object[] values = new Object[more.length];
        System.arraycopy(numbers, 0, more, 0, at);
        System.arraycopy(content.values, 0, values, 0, at);
        more[at] = number;
        values[at] = value;
        System.arraycopy(numbers, at, more, at + 1, numbers.length - at);
        System.arraycopy(content.values, at, values, at + 1, numbers.length - at);
        content = new Content(more, values);
    }

    /// Hands everything to `action`.
    @SuppressWarnings("unchecked") // add stores nothing else
    void forEach(Consumer<E> action) {
        for (Object value : content.values) {
            action.accept((E) value);
        }
    }

    /// Removes what was added under the number; nothing happens if there is nothing.
    synchronized void remove(int number) {
        int[] numbers = content.numbers;
        int at = Arrays.binarySearch(numbers, number);
        if (at >= 0) {
            int[] left = new int[numbers.length - 1];
            Object[] values = new Object[left.length];
            System.arraycopy(numbers, 0, left, 0, at);
            System.arraycopy(content.values, 0, values, 0, at);
            System.arraycopy(numbers, at + 1, left, at, left.length - at);
            System.arraycopy(content.values, at + 1, values, at, left.length - at);
            content = new Content(left, values);
        }
    }
}
