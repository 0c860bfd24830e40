package dev.outboard.fabric.roce.nic;

import org.jspecify.annotations.Nullable;

/// The queue pairs that may have something to send, each at most once, in the order they are
/// served. Only the thread that drives the device touches it.
final class ReadyQueue {
    private @Nullable NicQueuePair[] queuePairs = new NicQueuePair[16];
    private int first;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    void add(NicQueuePair queuePair) {
        if (queuePair.isReady) {
            return;
        }
        queuePair.isReady = true;
        if (size == queuePairs.length) {
            grow();
        }
        queuePairs[(first + size) & (queuePairs.length - 1)] = queuePair;
        size++;
    }

    /// Takes the first; the queue must not be empty.
    NicQueuePair remove() {
        NicQueuePair queuePair = queuePairs[first];
        if (queuePair == null) {
            throw new IllegalStateException("no queue pair is ready");
        }
        queuePairs[first] = null;
        first = (first + 1) & (queuePairs.length - 1);
        size--;
        queuePair.isReady = false;
        return queuePair;
    }

    private void grow() {
        @Nullable NicQueuePair[] larger = new NicQueuePair[2 * queuePairs.length];
        for (int i = 0; i < size; i++) {
            larger[i] = queuePairs[(first + i) & (queuePairs.length - 1)];
        }
        queuePairs = larger;
        first = 0;
    }
}
