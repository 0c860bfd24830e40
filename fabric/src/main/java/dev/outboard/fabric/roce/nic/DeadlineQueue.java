package dev.outboard.fabric.roce.nic;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The queue pairs that wait for something with a deadline, the earliest in front: a binary heap,
/// so that ten thousand of them cost no more per packet than a few. Only the thread that drives the
/// device touches it.
///
/// Every acknowledgement moves a deadline to later. So a queue pair stays where it is until the
/// time it was put there for comes, and only then is its deadline looked at again; one without
/// packets outstanding leaves then.
final class DeadlineQueue {
    private @Nullable NicQueuePair[] heap = new NicQueuePair[16];
    private int size;

    /// Looks at the deadline of `queuePair` and remembers to look again; returns the deadline.
    long note(NicQueuePair queuePair) {
        long deadline = queuePair.deadlineNanos();
        if (queuePair.deadlineIndex >= 0) {
            if (deadline < queuePair.lookAgainNanos) {
                queuePair.lookAgainNanos = deadline;
                rise(queuePair, queuePair.deadlineIndex);
            }
        } else if (deadline != Long.MAX_VALUE) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            queuePair.lookAgainNanos = deadline;
            rise(queuePair, size++);
        }
        return deadline;
    }

    /// Names every queue pair whose deadline has passed; returns when to look again.
    long expire(long now, NicMachine nic) {
        NicQueuePair first = heap[0];
        while (first != null && first.lookAgainNanos <= now) {
            if (first.deadlineNanos() <= now) {
                nic.expired(first, now);
            }
            // Nobody's deadline may hold up the others: what is due still is looked at next time.
            lookAgain(first, Math.max(first.deadlineNanos(), now + 1));
            first = heap[0];
        }
        return first == null ? Long.MAX_VALUE : first.lookAgainNanos;
    }

    private void lookAgain(NicQueuePair first, long time) {
        if (time == Long.MAX_VALUE) {
            first.deadlineIndex = -1;
            NicQueuePair last = at(--size);
            heap[size] = null;
            if (size > 0) {
                sink(last);
            }
        } else {
            first.lookAgainNanos = time;
            sink(first);
        }
    }

    /// Puts `queuePair` at `index` or nearer to the front.
    private void rise(NicQueuePair queuePair, int index) {
        int place = index;
        while (place > 0) {
            NicQueuePair parent = at((place - 1) / 2);
            if (parent.lookAgainNanos <= queuePair.lookAgainNanos) {
                break;
            }
            put(parent, place);
            place = (place - 1) / 2;
        }
        put(queuePair, place);
    }

    /// Puts `queuePair` in front or farther to the back.
    private void sink(NicQueuePair queuePair) {
        int place = 0;
        for (int child = 1; child < size; child = 2 * place + 1) {
            if (child + 1 < size && at(child + 1).lookAgainNanos < at(child).lookAgainNanos) {
                child++;
            }
            if (queuePair.lookAgainNanos <= at(child).lookAgainNanos) {
                break;
            }
            put(at(child), place);
            place = child;
        }
        put(queuePair, place);
    }

    private void put(NicQueuePair queuePair, int place) {
        heap[place] = queuePair;
        queuePair.deadlineIndex = place;
    }

    private NicQueuePair at(int place) {
        NicQueuePair queuePair = heap[place];
        if (queuePair == null) {
            throw new IllegalStateException("no queue pair at " + place + " of " + size);
        }
        return queuePair;
    }
}
