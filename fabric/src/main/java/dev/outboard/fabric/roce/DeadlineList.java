package dev.outboard.fabric.roce;

import java.util.ArrayList;
import java.util.List;

/// The queue pairs that wait for something with a deadline. Expiry looks at all of them: only those
/// with packets outstanding are here, and it happens about once a millisecond at most.
final class DeadlineList {
    private final List<RoceQueuePair> waiting = new ArrayList<>();

    /// Looks at the deadline of `queuePair` and remembers to look again; returns the deadline.
    long note(RoceQueuePair queuePair) {
        long deadline = queuePair.deadlineNanos();
        if (deadline != Long.MAX_VALUE && !queuePair.hasDeadline) {
            queuePair.hasDeadline = true;
            waiting.add(queuePair);
        }
        return deadline;
    }

    /// Tells every queue pair whose deadline has passed, and makes it ready; returns the earliest
    /// deadline left.
    long expire(long now, ReadyQueue ready) {
        long earliest = Long.MAX_VALUE;
        for (int i = waiting.size() - 1; i >= 0; i--) {
            RoceQueuePair queuePair = waiting.get(i);
            if (queuePair.deadlineNanos() <= now) {
                queuePair.onTimer(now);
                ready.add(queuePair);
            }
            long deadline = queuePair.deadlineNanos();
            if (deadline == Long.MAX_VALUE) {
                queuePair.hasDeadline = false;
                // Order does not matter: the last one takes the place.
                waiting.set(i, waiting.getLast());
                waiting.removeLast();
            } else {
                earliest = Math.min(earliest, deadline);
            }
        }
        return earliest;
    }
}
