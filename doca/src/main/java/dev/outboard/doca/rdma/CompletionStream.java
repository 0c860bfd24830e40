package dev.outboard.doca.rdma;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;

/// What completes on the queue of a context, one by one. Looking whether there is something takes
/// it from the queue; then it is the next.
final class CompletionStream implements AutoCloseable {
    private final CompletionQueue queue;
    private final Completion completion = new Completion();
    private boolean hasNext;

    CompletionStream(CompletionQueue queue) {
        this.queue = queue;
    }

    CompletionQueue queue() {
        return queue;
    }

    /// What [#next] has taken, until it takes another.
    Completion completion() {
        return completion;
    }

    /// Takes the next completion, if there is one.
    boolean next() {
        if (hasNext) {
            hasNext = false;
            return true;
        }
        return queue.poll(completion);
    }

    /// Whether one is known to be there.
    boolean hasNext() {
        return hasNext;
    }

    /// From now on the channel of the queue tells of new ones.
    ///
    /// @return whether there is one already
    boolean arm() {
        queue.requestNotification(false);
        hasNext = hasNext || queue.poll(completion);
        return hasNext;
    }

    @Override
    public void close() {
        queue.close();
    }
}
