package dev.outboard.fabric.roce.nic;

import java.util.ArrayDeque;

/// The queue pairs whose acknowledgements wait for a request to go with, while a thread looks for
/// what has come and answers it. Only the thread that drives the device touches it.
final class Deferral {
    /// A thread that takes what has come finds each of its queues empty before it does something
    /// about it: the one that brought the completion, and the one of its sends. Who looks more
    /// often waits.
    private static final int MAX_LOOKS = 2;

    /// In the order in which they began to wait; some have left already.
    private final ArrayDeque<NicQueuePair> waiting = new ArrayDeque<>();

    private int looks;

    /// Whether the acknowledgement of `queuePair`, which became ready, waits: from now on, or as it
    /// did before.
    boolean keeps(NicQueuePair queuePair, long nowNanos) {
        if (queuePair.patience.isOn()) {
            return queuePair.isDeferred;
        }
        if (!queuePair.patience.start(nowNanos)) {
            return false;
        }
        if (!queuePair.isDeferred) {
            queuePair.isDeferred = true;
            waiting.add(queuePair);
        }
        looks = 0;
        return true;
    }

    /// Whether any waits.
    boolean isOn() {
        while (!waiting.isEmpty() && !waiting.getFirst().patience.isOn()) {
            waiting.removeFirst().isDeferred = false;
        }
        return !waiting.isEmpty();
    }

    /// Whether those that wait go on, now that a thread looks once more.
    boolean outlastsLook(long nowNanos) {
        return isOn() && !isFirstLate(nowNanos) && ++looks <= MAX_LOOKS;
    }

    private boolean isFirstLate(long nowNanos) {
        return nowNanos >= waiting.getFirst().patience.endNanos();
    }

    /// Those that have waited long enough are ready.
    void endLate(long nowNanos, ReadyQueue ready) {
        while (isOn() && isFirstLate(nowNanos)) {
            endFirst(ready);
        }
    }

    /// All are ready.
    void endAll(ReadyQueue ready) {
        while (!waiting.isEmpty()) {
            endFirst(ready);
        }
    }

    private void endFirst(ReadyQueue ready) {
        NicQueuePair first = waiting.removeFirst();
        first.isDeferred = false;
        if (first.patience.isOn()) {
            ready.add(first);
        }
    }
}
