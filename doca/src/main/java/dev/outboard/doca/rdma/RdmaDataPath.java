package dev.outboard.doca.rdma;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.Task;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.QueuePairAttributes;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What an [Rdma] context does from start to stop: its queues and connections, the way of a task
/// from submission to completion, and what follows when a connection ends or the device is lost.
abstract sealed class RdmaDataPath extends RdmaConfiguration permits Rdma {
    private @Nullable CompletionStream completions;
    private @Nullable ReceiveQueue receives;
    private Connections connections = new Connections(0);
    private @Nullable ConnectionService service;
    private int nextConnectionId;

    /// Of the only connection, which is not there yet.
    private final PatientStart awaited = new PatientStart();

    private final KeepAlive keepAlive = new KeepAlive();

    RdmaDataPath(DocaDev device) {
        super(device);
    }

    // ---- connections ----------------------------------------------------------------------------

    final Connections connections() {
        return connections;
    }

    /// What makes connections by address.
    ///
    /// @param action what is about to be done to the context
    /// @throws DocaException with BAD_STATE unless running, with NOT_PERMITTED in mode GATED or
    ///   without a connection handler
    final ConnectionService serviceFor(String action) {
        ConnectionHandler told = handler();
        if (told == null) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s makes no connections by address in mode %s; they need OPEN and a connection handler"
                            .formatted(this, connectionMode()));
        }
        requireState(CtxState.RUNNING, action);
        ConnectionService started = service;
        if (started == null) {
            started = new ConnectionService(self(), told);
            service = started;
            started.start();
        }
        return started;
    }

    /// A new connection.
    ///
    /// @param id if it is made by address
    /// @throws DocaException with FULL
    final RdmaConnection createConnection(@Nullable ConnectionId id) {
        QueuePairAttributes attributes =
                QueuePairAttributes.of(completions().queue(), maxSends(), 1)
                        .withSharedReceiveQueue(receives().queue())
                        .withMaxScatterGather(maxSendBufListLen());
        return connections.create(self(), nextConnectionId++, attributes, id);
    }

    /// The connection ends; it leaves when nothing of it is in flight.
    final void end(RdmaConnection connection) {
        connections.shut(connection);
        wake();
    }

    /// Lets go of a connection that has ended; the completion queue was seen empty since. Receives
    /// stay for the connections that are left or come.
    ///
    /// DRDMA-FAIL-8: the context goes on, and its receives wait for others.
    private int letGo() {
        RdmaConnection connection = receives().hasBroken() ? null : connections.takeLeaving();
        if (connection == null) {
            return 0;
        }
        if (service != null) {
            service.forget(connection);
        }
        connection.close();
        tell(RdmaConnection::settle, connection);
        ConnectionHandler told = handler();
        if (told != null) {
            tell(ended -> ended.announceEnd(told), connection);
        }
        return 1;
    }

    /// Per connection, with one for a probe.
    private int maxSends() {
        return sendQueueSize() + (keepAlive().isZero() ? 0 : 1);
    }

    final void wake() {
        engine().wake();
    }

    /// Runs `action` as the thread mode wants it.
    final <T> T exclusively(Supplier<T> action) {
        ProgressEngine engine = engine();
        engine.enter();
        try {
            return action.get();
        } finally {
            engine.exit();
        }
    }

    /// The same for what has no result.
    final void exclusively(Runnable action) {
        exclusively(() -> {
            action.run();
            return true;
        });
    }

    /// Tells the application of a connection.
    final void tell(Consumer<RdmaConnection> callback, RdmaConnection connection) {
        engine().callback(callback, connection);
    }

    final long messageLimit() {
        return settings().limits().maxMessageBytes();
    }

    // ---- tasks ----------------------------------------------------------------------------------

    final <T extends RdmaTask> T allocated(TaskType type, Supplier<T> creation) {
        return allocate(pool(type), type, creation);
    }

    final DocaError submit(RdmaTask task, boolean strictly, boolean flushing) {
        ProgressEngine engine = engine();
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

    @Override
    protected DocaError submitAll(List<? extends Task> tasks, boolean strictly, boolean flushing) {
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
        if (!accepts(task)) {
            return DocaError.BAD_STATE;
        }
        DocaError refusal =
                task instanceof RequestTask request
                        ? roomFor(request, room)
                        : receives().hasRoom(room) ? DocaError.SUCCESS : DocaError.FULL;
        if (refusal != DocaError.SUCCESS) {
            return refusal;
        }
        task.broken = task.check();
        ValidationRule broken = task.broken == null && strictly ? task.checkMore() : task.broken;
        return strictly && broken != null ? refuse(task, broken) : DocaError.SUCCESS;
    }

    /// DRDMA-CONN-12, DRDMA-CM-8: of this context, and established.
    private DocaError roomFor(RequestTask task, int room) {
        RdmaConnection connection = task.connection();
        if (connection.rdma != this) {
            return refuse(task, ValidationRule.FOREIGN_CONNECTION);
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
        begin(task);
        if (task.broken != null) {
            keepBroken(task);
        } else if (!(task instanceof RequestTask request)) {
            receives().post((ReceiveTask) task);
        } else if (now) {
            request.connection().sends().post(request);
        } else {
            connections.hold(request);
        }
    }

    /// Only requests are held back; a receive is there for the peer at once.
    @Override
    protected void flush() {
        connections.flush();
    }

    /// The task is to fail when it is its turn.
    private void keepBroken(RdmaTask task) {
        if (task instanceof RequestTask request) {
            request.connection().sends().enqueue(request);
            connections.brokenAdded();
        } else {
            receives().keepBroken((ReceiveTask) task);
        }
        wake();
    }

    // ---- progress -------------------------------------------------------------------------------

    @Override
    protected CtxState open(ProgressEngine engine) {
        if (maxSends() > settings().limits().maxWorkRequests()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "a send queue of %d with keep-alive is more than the %d work requests the device can keep"
                            .formatted(sendQueueSize(), settings().limits().maxWorkRequests()));
        }
        int sends = Math.multiplyExact(maxSends(), maxNumConnections());
        int capacity = Math.addExact(sends, recvQueueSize());
        if (capacity > settings().limits().maxCompletions()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "%d connections with %d sends each and %d receives are more than the %d completions the device can keep"
                            .formatted(
                                    maxNumConnections(),
                                    sendQueueSize(),
                                    recvQueueSize(),
                                    settings().limits().maxCompletions()));
        }
        completions =
                new CompletionStream(
                        verbs().createCompletionQueue(capacity, engine.channel(verbs())));
        keepAlive.begin(keepAlive());
        connections = new Connections(maxNumConnections());
        receives = new ReceiveQueue(device(), recvQueueSize(), receiveDstBufListLen());
        if (connectionMode() == ConnectionMode.OPEN) {
            return CtxState.RUNNING;
        }
        createConnection(null);
        awaited.begin();
        return CtxState.STARTING;
    }

    @Override
    protected int poll(int max) {
        int done = service == null ? 0 : service.poll(max);
        if (state() == CtxState.STARTING && connections.isConnected()) {
            awaited.end();
            becomeRunning();
            tell(RdmaConnection::settle, Objects.requireNonNull(connections.first()));
            done++;
        }
        awaited.look(this);
        while (done < max && (completeBroken() || completeNext())) {
            done++;
        }
        if (done < max) {
            done += letGo();
        }
        done += keepAlive.look(connections);
        if (done == 0) {
            done = verbs().isOpen() ? lookForFailures() : loseDevice();
        }
        if (state() == CtxState.STOPPING && done < max) {
            done += flushReceives();
        }
        return done;
    }

    private boolean completeNext() {
        if (!completions().next()) {
            return false;
        }
        Completion completion = completions().completion();
        long id = completion.id();
        if (id < 0) {
            completeReceive(receives().take(id), completion);
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
            connection.heard();
        } else if (status != CompletionStatus.WORK_REQUEST_FLUSHED) {
            failed(connection, FailureCause.Transport.of(status));
        }
    }

    private void completeRequest(RdmaConnection connection, CompletionStatus status) {
        RequestTask task = connection.sends().take();
        if (status == CompletionStatus.SUCCESS) {
            connection.heard();
            task.complete();
            end(task, DocaError.SUCCESS, null);
        } else {
            endFailed(task, connection, status);
        }
    }

    private void completeReceive(ReceiveTask task, Completion completion) {
        CompletionStatus status = completion.status();
        RdmaConnection connection = connections.ofQueuePair(completion.queuePairNumber());
        if (status == CompletionStatus.SUCCESS) {
            if (connection.state() == RdmaState.INIT && service != null) {
                service.establishedByMessage(connection);
            }
            connection.heard();
            task.complete(completion, connection);
            end(task, DocaError.SUCCESS, null);
        } else {
            task.fail(status, completion.hasImmediate());
            endFailed(task, connection, status);
        }
    }

    /// DRDMA-FAIL-4, DRDMA-FAIL-11: flushed, or the first error of the connection.
    private void endFailed(RdmaTask task, RdmaConnection connection, CompletionStatus status) {
        FailureCause cause = FailureCause.Transport.of(status);
        if (status == CompletionStatus.WORK_REQUEST_FLUSHED) {
            end(task, DocaError.BAD_STATE, cause);
        } else {
            failed(connection, cause);
            end(task, DocaError.IO_FAILED, cause);
        }
    }

    /// The communication with a peer has failed.
    ///
    /// DRDMA-FAIL-3: a GATED context stops with it.
    private void failed(RdmaConnection connection, FailureCause cause) {
        connections.shut(connection);
        if (connectionMode() == ConnectionMode.GATED) {
            fail(cause);
        }
    }

    /// Completes a task that was submitted though it could not work, if it is its turn.
    private boolean completeBroken() {
        if (receives().hasBroken()) {
            ReceiveTask task = receives().takeBroken();
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
            failed(task.connection(), FailureCause.Validation.of(broken));
        }
        endBroken(task, broken);
        return true;
    }

    private void endBroken(RdmaTask task, ValidationRule broken) {
        end(task, broken.error(), FailureCause.Validation.of(broken));
    }

    /// A queue pair may have failed because of what its peer sent, with nothing in flight here.
    private int lookForFailures() {
        RdmaConnection connection = connections.nextFailed();
        if (connection == null) {
            return 0;
        }
        if (completeNext()) {
            return 1; // the task that failed has completed in the meantime, and says more
        }
        failed(connection, FailureCause.Transport.of(CompletionStatus.GENERAL_ERROR));
        return 1;
    }

    /// The device was closed under its contexts: nothing completes any more.
    private int loseDevice() {
        FailureCause cause = FailureCause.Transport.of(CompletionStatus.GENERAL_ERROR);
        int done = state() == CtxState.STOPPING ? 0 : 1;
        fail(cause);
        RequestTask request = connections.takeAny();
        while (request != null) {
            end(request, DocaError.IO_FAILED, cause);
            done++;
            request = connections.takeAny();
        }
        for (ReceiveTask receive : receives().takeAll()) {
            receive.fail(CompletionStatus.GENERAL_ERROR);
            end(receive, DocaError.IO_FAILED, cause);
            done++;
        }
        return done;
    }

    // ---- stopping -------------------------------------------------------------------------------

    @Override
    protected void shut() {
        awaited.end();
        if (service != null) {
            service.stopListening();
        }
        connections.shut();
    }

    @Override
    protected boolean isShut() {
        return connections.isIdle()
                && !connections.hasUnsettled()
                && (handler() == null || !connections.hasAnnounced());
    }

    /// What no connection took ends when no connection is left that could.
    private int flushReceives() {
        if (!isShut() || completions().hasNext()) {
            return 0;
        }
        connections.close();
        int done = 0;
        while (completeNext()) {
            done++;
        }
        List<ReceiveTask> left = receives().takeAll();
        flush(left);
        return done + left.size();
    }

    private void flush(List<ReceiveTask> left) {
        FailureCause cause = FailureCause.Transport.of(CompletionStatus.WORK_REQUEST_FLUSHED);
        for (ReceiveTask task : left) {
            task.fail(CompletionStatus.WORK_REQUEST_FLUSHED);
            end(task, DocaError.BAD_STATE, cause);
        }
    }

    @Override
    protected void release() {
        connections.close();
        connections = new Connections(0);
        if (service != null) {
            service.close();
            service = null;
        }
        receives().close();
        completions().close();
        receives = null;
        completions = null;
    }

    @Override
    protected boolean arm() {
        if (state() == CtxState.IDLE) {
            return false;
        }
        return completions().arm()
                || connections.hasBroken()
                || connections.hasLeaving()
                || (service != null && service.hasEvents())
                || receives().hasBroken()
                || connections.hasFailed()
                || awaited.isTimeToLook()
                || keepAlive.isTimeToLook()
                || !verbs().isOpen();
    }

    private ReceiveQueue receives() {
        return Objects.requireNonNull(receives);
    }

    private CompletionStream completions() {
        return Objects.requireNonNull(completions);
    }

    @Override
    protected long lookAgainNanos() {
        return awaited.isTold() ? keepAlive.lookAgainNanos() : PatientStart.PATIENCE_NANOS;
    }
}
