package dev.outboard.doca.rdma;

import dev.outboard.doca.CtxRun;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.Task;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import java.util.List;
import java.util.Objects;

/// The way of the tasks of an [Rdma] context from submission to completion, from start to stop: on
/// its queues, and on those of its connections.
final class RdmaDataPath implements AutoCloseable {
    private final Rdma rdma;
    private final CtxRun.Owner owner;
    private final RdmaControlPath control;
    private final Connections connections;
    private final CompletionStream completions;
    private final ReceiveQueue receives;

    RdmaDataPath(
            Rdma rdma,
            CtxRun.Owner owner,
            RdmaControlPath control,
            Connections connections,
            CompletionStream completions,
            ReceiveQueue receives) {
        this.rdma = rdma;
        this.owner = owner;
        this.control = control;
        this.connections = connections;
        this.completions = completions;
        this.receives = receives;
    }

    // ---- submission -----------------------------------------------------------------------------

    DocaError submit(RdmaTask task, boolean strictly, boolean flushing) {
        ProgressEngine engine = owner.engine();
        engine.enter();
        try {
            return submitNow(task, strictly, flushing);
        } finally {
            engine.exit();
        }
    }

    private DocaError submitNow(RdmaTask task, boolean strictly, boolean flushing) {
        DocaError refusal = admit(task, 1, strictly);
        if (refusal == DocaError.SUCCESS) {
            if (flushing) {
                connections.flush();
            }
            launch(task, flushing);
        }
        return refusal;
    }

    DocaError submitAll(List<? extends Task> tasks, boolean strictly, boolean flushing) {
        for (int i = 0; i < tasks.size(); i++) {
            DocaError refusal = admit((RdmaTask) tasks.get(i), tasks.size(), strictly);
            if (refusal != DocaError.SUCCESS) {
                return refusal;
            }
        }
        for (int i = 0; i < tasks.size(); i++) {
            launch((RdmaTask) tasks.get(i), false);
        }
        if (flushing) {
            connections.flush();
        }
        return DocaError.SUCCESS;
    }

    /// Whether `task` can be submitted, in a queue with room for `room` of its kind.
    private DocaError admit(RdmaTask task, int room, boolean strictly) {
        if (!owner.accepts(task)) {
            return DocaError.BAD_STATE;
        }
        DocaError refusal =
                task instanceof RequestTask request
                        ? roomFor(request, room)
                        : receives.hasRoom(room) ? DocaError.SUCCESS : DocaError.FULL;
        if (refusal != DocaError.SUCCESS) {
            return refusal;
        }
        task.broken = task.check();
        ValidationRule broken = task.broken == null && strictly ? task.checkMore() : task.broken;
        return strictly && broken != null ? owner.refuse(task, broken) : DocaError.SUCCESS;
    }

    /// DRDMA-CONN-12, DRDMA-CM-8: of this context, and established.
    private DocaError roomFor(RequestTask task, int room) {
        RdmaConnection connection = task.connection();
        if (connection.rdma != rdma) {
            return owner.refuse(task, ValidationRule.FOREIGN_CONNECTION);
        }
        if (connection.state() != RdmaState.CONNECTED) {
            return DocaError.NOT_CONNECTED;
        }
        if (!connection.sends().hasRoom(room)) {
            connections.flush(); // or nothing would ever make room
            return DocaError.FULL;
        }
        return DocaError.SUCCESS;
    }

    /// Submits a task that was admitted.
    private void launch(RdmaTask task, boolean now) {
        owner.begin(task);
        if (task.broken != null) {
            keepBroken(task);
        } else if (!(task instanceof RequestTask request)) {
            receives.post((ReceiveTask) task);
        } else if (now) {
            request.connection().sends().post(request);
        } else {
            connections.hold(request);
        }
    }

    /// Sends what was held back.
    void flush() {
        connections.flush();
    }

    /// The task is to fail when it is its turn.
    private void keepBroken(RdmaTask task) {
        if (task instanceof RequestTask request) {
            request.connection().sends().enqueue(request);
            connections.brokenAdded();
        } else {
            receives.keepBroken((ReceiveTask) task);
        }
        control.wake();
    }

    // ---- completion -----------------------------------------------------------------------------

    /// Completes a task, if there is one to complete.
    boolean completeOne() {
        return completeBroken() || completeNext();
    }

    private boolean completeNext() {
        if (!completions.next()) {
            return false;
        }
        Completion completion = completions.completion();
        long id = completion.id();
        if (id < 0) {
            completeReceive(receives.take(id), completion);
        } else if ((id & SendQueue.PROBE) != 0) {
            completeProbe(connections.inSlot((int) id), completion.status());
        } else {
            completeRequest(connections.inSlot((int) id), completion.status());
        }
        return true;
    }

    private void completeProbe(RdmaConnection connection, CompletionStatus status) {
        connection.sends().probed();
        if (status == CompletionStatus.SUCCESS) {
            connection.sends().heard();
        } else if (status != CompletionStatus.WORK_REQUEST_FLUSHED) {
            control.failed(connection, FailureCause.Transport.of(status));
        }
    }

    private void completeRequest(RdmaConnection connection, CompletionStatus status) {
        RequestTask task = connection.sends().take();
        if (status == CompletionStatus.SUCCESS) {
            connection.sends().heard();
            task.complete();
            owner.end(task, DocaError.SUCCESS, null);
        } else {
            endFailed(task, connection, status);
        }
    }

    private void completeReceive(ReceiveTask task, Completion completion) {
        CompletionStatus status = completion.status();
        RdmaConnection connection = connections.ofQueuePair(completion.queuePairNumber());
        if (status == CompletionStatus.SUCCESS) {
            control.heardOn(connection);
            task.complete(completion, connection);
            owner.end(task, DocaError.SUCCESS, null);
        } else {
            task.fail(status, completion.hasImmediate());
            endFailed(task, connection, status);
        }
    }

    /// DRDMA-FAIL-4, DRDMA-FAIL-11: flushed, or the first error of the connection.
    private void endFailed(RdmaTask task, RdmaConnection connection, CompletionStatus status) {
        FailureCause cause = FailureCause.Transport.of(status);
        if (status == CompletionStatus.WORK_REQUEST_FLUSHED) {
            owner.end(task, DocaError.BAD_STATE, cause);
        } else {
            control.failed(connection, cause);
            owner.end(task, DocaError.IO_FAILED, cause);
        }
    }

    /// Completes a task that was submitted though it could not work, if it is its turn.
    private boolean completeBroken() {
        if (receives.hasBroken()) {
            ReceiveTask task = receives.takeBroken();
            task.fail(CompletionStatus.WORK_REQUEST_FLUSHED);
            endBroken(task, Objects.requireNonNull(task.broken));
            return true;
        }
        RequestTask task = connections.takeBroken();
        if (task == null) {
            return false;
        }
        ValidationRule broken = Objects.requireNonNull(task.broken);
        if (task.isAlwaysFatal()) {
            control.failed(task.connection(), FailureCause.Validation.of(broken));
        }
        endBroken(task, broken);
        return true;
    }

    private void endBroken(RdmaTask task, ValidationRule broken) {
        owner.end(task, broken.error(), FailureCause.Validation.of(broken));
    }

    /// A queue pair may have failed because of what its peer sent, with nothing in flight here.
    int lookForFailures() {
        RdmaConnection connection = connections.nextFailed();
        if (connection == null) {
            return 0;
        }
        if (completeNext()) {
            return 1; // the task that failed has completed in the meantime, and says more
        }
        control.failed(connection, FailureCause.Transport.of(CompletionStatus.GENERAL_ERROR));
        return 1;
    }

    /// The device was closed under its contexts: nothing completes any more.
    int loseDevice() {
        FailureCause cause = FailureCause.Transport.of(CompletionStatus.GENERAL_ERROR);
        int done = owner.state() == CtxState.STOPPING ? 0 : 1;
        owner.fail(cause);
        RequestTask request = connections.takeAny();
        while (request != null) {
            owner.end(request, DocaError.IO_FAILED, cause);
            done++;
            request = connections.takeAny();
        }
        for (ReceiveTask receive : receives.takeAll()) {
            receive.fail(CompletionStatus.GENERAL_ERROR);
            owner.end(receive, DocaError.IO_FAILED, cause);
            done++;
        }
        return done;
    }

    // ---- waiting and stopping -------------------------------------------------------------------

    /// From now on the completion channel tells of work.
    ///
    /// @return whether there is some already
    boolean arm() {
        return completions.arm() || connections.hasBroken() || receives.hasBroken();
    }

    boolean hasBrokenReceives() {
        return receives.hasBroken();
    }

    /// Ends the receives that are left, unless there is a completion; no connection is in use.
    int flushReceives() {
        if (completions.hasNext()) {
            return 0;
        }
        connections.close();
        int done = 0;
        while (completeNext()) {
            done++;
        }
        List<ReceiveTask> left = receives.takeAll();
        flush(left);
        return done + left.size();
    }

    private void flush(List<ReceiveTask> left) {
        FailureCause cause = FailureCause.Transport.of(CompletionStatus.WORK_REQUEST_FLUSHED);
        for (ReceiveTask task : left) {
            task.fail(CompletionStatus.WORK_REQUEST_FLUSHED);
            owner.end(task, DocaError.BAD_STATE, cause);
        }
    }

    @Override
    public void close() {
        receives.close();
        completions.close();
    }
}
