package dev.outboard.doca.jobs;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.rdma.RdmaTask;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// Takes jobs, and tells which have ended (`doca_workq`). Added to each [RdmaInstance] whose jobs
/// it is to take, with [RdmaInstance#addWorkQueue].
///
/// ```java
/// JobEvent event = new JobEvent();
/// queue.submit(new SendJob(instance, "hello", message));
/// while (queue.retrieve(event) == DocaError.AGAIN) {}
/// ```
///
/// Used by one thread, the first that submits; others get BAD_STATE. Closed once no instance has
/// it.
public final class WorkQueue implements AutoCloseable {
    /// With several instances, each is looked at after this.
    private static final Duration LOOK = Duration.ofMillis(1);

    /// @param instance whose job it was
    private record Ended(
            RdmaInstance instance, JobType type, @Nullable Object userData, RdmaResult result) {}

    private final int depth;
    private final List<RdmaInstance> instances = new ArrayList<>();
    private final Queue<Ended> ended = new ArrayDeque<>();
    private int inFlight;
    private boolean hasEvents;
    private boolean closed;

    private WorkQueue(int depth) {
        this.depth = depth;
    }

    /// A work queue for `depth` jobs at a time.
    ///
    /// @throws DocaException with INVALID_VALUE if `depth` is below 1
    public static WorkQueue create(int depth) {
        if (depth < 1) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "depth of a work queue is " + depth + "; valid: at least 1");
        }
        return new WorkQueue(depth);
    }

    /// How many jobs it takes at a time.
    public int depth() {
        return depth;
    }

    /// Submits a job, which is checked as by [RdmaTask#trySubmit]. After SUCCESS one event follows.
    ///
    /// DJOB-BASE-2, DJOB-BASE-3, DJOB-WQ-1, DFLT-33: what each refusal means.
    ///
    /// @return SUCCESS; INVALID_VALUE if the flags are not zero, if the type does not fit the job,
    ///   or if its operands cannot work; NOT_PERMITTED if a permission is missing; NOT_FOUND if its
    ///   instance does not have this work queue; BAD_STATE if the instance is not CONNECTED;
    ///   NO_MEMORY if `depth` jobs were submitted and not retrieved, or a queue of the instance is
    ///   full
    public DocaError submit(Job job) {
        if (job == null || job.flags() != Job.NO_FLAGS || !fits(job)) {
            return DocaError.INVALID_VALUE;
        }
        if (!instances.contains(job.ctx())) {
            return DocaError.NOT_FOUND;
        }
        if (pending() == depth) {
            return DocaError.NO_MEMORY;
        }
        DocaError error = job.ctx().submit(job);
        if (error == DocaError.SUCCESS) {
            inFlight++;
        }
        return error;
    }

    /// DJOB-TYPE-4: the type fits the structure.
    private static boolean fits(Job job) {
        return switch (job) {
            case RecvJob recv -> recv.type() == JobType.RECV;
            case SendJob send -> send.type() == JobType.SEND || send.type() == JobType.SEND_IMM;
            case ReadWriteJob move -> RdmaInstance.fits(move);
            case AtomicJob atomic ->
                    atomic.type() == JobType.ATOMIC_CMP_SWP
                            || atomic.type() == JobType.ATOMIC_FETCH_ADD;
        };
    }

    /// Drives the instances, and tells of one job that has ended.
    ///
    /// DJOB-WQ-3, DJOB-WQ-7: one event, by the same progress.
    ///
    /// @param event filled in if there is one
    /// @return SUCCESS if the job succeeded; IO_FAILED if it did not, [RdmaResult#result] says why;
    ///   AGAIN if none has ended; INVALID_VALUE if `event` is null
    public DocaError retrieve(@Nullable JobEvent event) {
        if (event == null) {
            return DocaError.INVALID_VALUE;
        }
        if (ended.isEmpty()) {
            instances.forEach(RdmaInstance::progress);
        }
        Ended first = ended.poll();
        if (first == null) {
            return DocaError.AGAIN;
        }
        first.instance().retrieved();
        event.set(first.type(), first.userData(), first.result());
        return first.result().result() == DocaError.SUCCESS
                ? DocaError.SUCCESS
                : DocaError.IO_FAILED;
    }

    /// Jobs that were submitted and not retrieved.
    public int pending() {
        return inFlight + ended.size();
    }

    // ---- waiting --------------------------------------------------------------------------------

    /// Allows [#await] (`doca_workq_set_event_driven_enable`).
    ///
    /// DJOB-WQ-5: before it is added.
    ///
    /// @throws DocaException with BAD_STATE if an instance has it already
    public void enableEvents() {
        if (!instances.isEmpty()) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " is in use; enable its events before adding it");
        }
        hasEvents = true;
    }

    /// Sleeps until [#retrieve] may have something, or `timeout` passed: what C does with a handle
    /// that is armed, waited for and cleared. Afterwards call [#retrieve] until it returns AGAIN.
    ///
    /// @return whether it may have something
    /// @throws DocaException with BAD_STATE unless [#enableEvents] was called, or if it belongs to
    ///   no instance whose jobs could end
    /// @throws InterruptedException if the thread was interrupted
    public boolean await(Duration timeout) throws InterruptedException {
        DocaException.nonNull(timeout, "timeout");
        if (!hasEvents) {
            throw new DocaException(DocaError.BAD_STATE, this + " has no events enabled");
        }
        if (instances.isEmpty() && ended.isEmpty()) {
            throw new DocaException(DocaError.BAD_STATE, this + " belongs to no instance");
        }
        if (instances.size() == 1 || !ended.isEmpty()) {
            return !ended.isEmpty() || instances.getFirst().await(timeout);
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        while (System.nanoTime() - deadline < 0) {
            for (RdmaInstance instance : instances) {
                if (instance.await(LOOK)) {
                    return true;
                }
            }
        }
        return false;
    }

    // ---- the instances' -------------------------------------------------------------------------

    /// @throws DocaException with BAD_STATE if it is closed
    void added(RdmaInstance instance) {
        if (closed) {
            throw new DocaException(DocaError.BAD_STATE, this + " is closed");
        }
        instances.add(instance);
    }

    void removed(RdmaInstance instance) {
        instances.remove(instance);
    }

    /// DJOB-BASE-4, DJOB-WQ-4: type, user data and result.
    void completed(RdmaInstance instance, RdmaTask task) {
        inFlight--;
        ended.add(new Ended(instance, JobType.of(task), task.userData(), RdmaResult.of(task)));
    }

    /// @throws DocaException with IN_USE while an instance has it
    @Override
    public void close() {
        if (!instances.isEmpty()) {
            throw new DocaException(
                    DocaError.IN_USE,
                    this + " belongs to " + instances.getFirst() + "; remove it there first");
        }
        closed = true;
    }

    @Override
    public String toString() {
        return "work queue of depth " + depth;
    }
}
