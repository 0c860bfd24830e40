package dev.outboard.doca.rdma;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.SendRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The tasks that were submitted to a connection and have not completed, in the order in which they
/// do, whether they were sent, are held back, or can only fail.
final class SendQueue {
    /// Marks the ids of probes among those of tasks.
    static final long PROBE = 1L << 62;

    private final Device device;

    /// Null if it takes no tasks.
    private final @Nullable QueuePair queuePair;

    private final @Nullable RequestTask[] ring;
    private final SendRequest request = new SendRequest();
    private long submitted;
    private long completed;

    /// Asks the peer whether it is there.
    private final SendRequest probe = new SendRequest().write(0, 0).noPayload();

    private boolean isProbing;

    /// The peer was heard since somebody looked, and when that was at the latest.
    private boolean isHeard;

    private long heardNanos;

    /// The place of the first task that was held back.
    private long heldFrom = Long.MAX_VALUE;

    /// A queue of `size` tasks, a power of two, whose work requests carry `id`.
    SendQueue(Device device, QueuePair queuePair, int size, int id) {
        this.device = device;
        this.queuePair = queuePair;
        ring = new RequestTask[size];
        request.id(id);
        probe.id(id | PROBE);
    }

    /// A queue that takes no tasks.
    SendQueue(Device device) {
        this.device = device;
        queuePair = null;
        ring = new RequestTask[1];
    }

    /// DCORE-TASK-16, DFLT-32: nothing is queued beyond the configured size.
    boolean hasRoom(int tasks) {
        return ring.length - (submitted - completed) >= tasks;
    }

    /// Whether nothing is under way.
    boolean isIdle() {
        return submitted == completed && !isProbing;
    }

    boolean hasTasks() {
        return submitted != completed;
    }

    /// Something of the peer arrived.
    void heard() {
        isHeard = true;
    }

    /// Asks the peer whether it is there, if nothing was heard of it for `silence` and nothing is
    /// under way that would tell.
    ///
    /// @return whether it did
    boolean probe(long now, long silence) {
        if (!isIdle()) {
            return false;
        }
        if (isHeard) {
            isHeard = false;
            heardNanos = now;
        }
        if (now - heardNanos < silence) {
            return false;
        }
        isProbing = true;
        post(probe);
        return true;
    }

    /// The peer answered, or will not.
    void probed() {
        isProbing = false;
    }

    /// Sends `task`; the queue is not full.
    void post(RequestTask task) {
        enqueue(task);
        send(task);
    }

    private void send(RequestTask task) {
        task.prepare(request);
        post(request);
    }

    private void post(SendRequest work) {
        try {
            if (!Objects.requireNonNull(queuePair).post(work)) {
                throw new IllegalStateException("the send queue is smaller than promised");
            }
        } catch (FabricException e) {
            // With its device closed under it, the next progress ends all tasks, this one too.
            if (e.reason() != Reason.CLOSED) {
                throw e;
            }
        }
    }

    /// Lets `task` wait for [#flush]; the queue is not full.
    ///
    /// DCORE-CTX-17: until somebody flushes.
    void hold(RequestTask task) {
        heldFrom = Math.min(heldFrom, submitted);
        enqueue(task);
    }

    /// Sends what was held back, unless the device is closed, which fails it later. The application
    /// may have given buffers back in the meantime.
    ///
    /// @return how many of the tasks can only fail
    int flush() {
        int broken = 0;
        boolean isOpen = device.isOpen();
        for (long place = Math.max(heldFrom, completed); isOpen && place < submitted; place++) {
            RequestTask task = Objects.requireNonNull(ring[slot(place)]);
            if (task.broken == null) {
                task.broken = task.check();
                if (task.broken == null) {
                    send(task);
                } else {
                    broken++;
                }
            }
        }
        heldFrom = Long.MAX_VALUE;
        return broken;
    }

    /// Takes its place in the order of completion, without sending anything.
    void enqueue(RequestTask task) {
        ring[slot(submitted)] = task;
        submitted++;
    }

    /// The task whose turn it is to complete.
    ///
    /// DRDMA-COM-14: requests complete in the order they were submitted.
    RequestTask take() {
        int slot = slot(completed);
        RequestTask task = Objects.requireNonNull(ring[slot]);
        ring[slot] = null;
        completed++;
        return task;
    }

    /// Takes the task whose turn it is to complete if it was never sent.
    @Nullable RequestTask takeBroken() {
        RequestTask task = ring[slot(completed)];
        return task != null && task.broken != null ? take() : null;
    }

    private int slot(long place) {
        return (int) place & (ring.length - 1);
    }
}
