package dev.outboard.ccip.fiu;

/// A bounded queue of ints, from which one may also be taken out of turn. Allocates nothing after
/// construction.
final class IntQueue {
    private final int[] elements;
    private int head;
    private int size;

    /// @param capacity a power of two
    IntQueue(int capacity) {
        assert Integer.bitCount(capacity) == 1 : capacity;
        elements = new int[capacity];
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void add(int element) {
        assert size < elements.length : "more lines in flight than there are";
        elements[index(size++)] = element;
    }

    int get(int position) {
        assert position < size : position;
        return elements[index(position)];
    }

    int take() {
        int element = get(0);
        head = index(1);
        size--;
        return element;
    }

    /// Takes the element at `position`; the first takes its place.
    int take(int position) {
        int element = get(position);
        elements[index(position)] = elements[head];
        elements[head] = element;
        return take();
    }

    void clear() {
        size = 0;
    }

    private int index(int position) {
        return head + position & elements.length - 1;
    }
}
