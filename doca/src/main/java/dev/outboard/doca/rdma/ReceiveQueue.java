package dev.outboard.doca.rdma;

import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SharedReceiveQueue;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The receives that a context has submitted, whichever connection takes them.
final class ReceiveQueue implements AutoCloseable {
    /// Marks the ids of receives among those of work requests.
    static final long MARK = 1L << 63;

    private final SharedReceiveQueue queue;
    private final ReceiveRequest request = new ReceiveRequest();
    private final @Nullable ReceiveTask[] slots;
    private final int[] free;
    private int freeCount;
    private long sequence;

    /// Receives that must not be posted, which are to fail at the next progress.
    private final ArrayDeque<ReceiveTask> broken = new ArrayDeque<>();

    ReceiveQueue(ProtectionDomain domain, int size, int maxListLength) {
        queue = domain.createSharedReceiveQueue(size, maxListLength);
        slots = new ReceiveTask[size];
        free = new int[size];
        for (int i = 0; i < size; i++) {
            free[i] = size - 1 - i;
        }
        freeCount = size;
    }

    SharedReceiveQueue queue() {
        return queue;
    }

    /// DCORE-TASK-16: nothing is queued beyond the configured size.
    boolean hasRoom(int tasks) {
        return freeCount - broken.size() >= tasks;
    }

    void post(ReceiveTask task) {
        int slot = free[--freeCount];
        slots[slot] = task;
        task.slot = slot;
        task.sequence = sequence++;
        task.prepare(request.id(MARK | slot));
        if (!queue.post(request)) {
            throw new IllegalStateException("the shared receive queue is smaller than promised");
        }
    }

    /// Keeps a task that is to fail without being posted.
    void keepBroken(ReceiveTask task) {
        broken.add(task);
    }

    /// Takes a task that was kept so; there is one.
    ReceiveTask takeBroken() {
        return broken.remove();
    }

    boolean hasBroken() {
        return !broken.isEmpty();
    }

    /// The task whose work request completed with `id`.
    ReceiveTask take(long id) {
        return remove((int) (id & ~MARK));
    }

    /// Takes what is left, in the order of submission; nothing may arrive any more.
    List<ReceiveTask> takeAll() {
        List<ReceiveTask> left =
                Arrays.stream(slots)
                        .filter(Objects::nonNull)
                        .sorted(Comparator.comparingLong((ReceiveTask task) -> task.sequence))
                        .toList();
        left.forEach(task -> remove(task.slot));
        return left;
    }

    private ReceiveTask remove(int slot) {
        ReceiveTask task = Objects.requireNonNull(slots[slot]);
        slots[slot] = null;
        free[freeCount++] = slot;
        return task;
    }

    @Override
    public void close() {
        queue.close();
    }
}
