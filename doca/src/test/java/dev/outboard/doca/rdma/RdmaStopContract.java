package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A stop at every moment: nothing is lost, every task ends once, and the context becomes idle, on
/// every provider.
abstract class RdmaStopContract extends RdmaPairContract {
    private static final FailureCause FLUSHED =
            FailureCause.Transport.of(CompletionStatus.WORK_REQUEST_FLUSHED);

    /// Ours is, or becomes, idle once its tasks are free, and can be used again.
    private void assertBecomesIdle() {
        ours.progressUntil(() -> ours.rdma.inFlightTasks() == 0);
        ours.done.forEach(RdmaTask::free);
        ours.done.clear();
        ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
        assertThat(ours.engine.callbackFailures()).isZero();
    }

    private void assertWorksAgain() {
        theirs.rdma.stop();
        theirs.progressUntil(() -> theirs.rdma.state() == CtxState.IDLE);
        ours.then = _ -> {};
        ours.thenIn = _ -> {};
        ours.forgetPeer();
        theirs.forgetPeer();
        connect();
        assertConnected();
    }

    private static void assertFlushed(RdmaTask task) {
        assertThat(task.status()).as("of %s", task).isEqualTo(DocaError.BAD_STATE);
        assertThat(task.failure()).contains(FLUSHED);
    }

    @Test
    @Requirement({"DTEST-8", "DCORE-CTX-2"})
    void beforeConnecting() {
        ours.rdma.start();
        ours.rdma.export();

        assertThat(ours.rdma.stop()).isEqualTo(CtxState.IDLE);

        assertThat(ours.states)
                .containsExactly(CtxState.STARTING, CtxState.STOPPING, CtxState.IDLE);
        assertWorksAgain();
    }

    @Test
    @Requirement({"DTEST-8", "DCORE-CTX-2"})
    void whileConnecting() {
        ours.rdma.start();
        theirs.rdma.start();
        ours.rdma.export().connect(theirs.rdma.export().details());
        assertThat(ours.rdma.state()).isEqualTo(CtxState.STARTING);

        assertThat(ours.rdma.stop()).isEqualTo(CtxState.IDLE);

        assertThat(ours.states)
                .containsExactly(CtxState.STARTING, CtxState.STOPPING, CtxState.IDLE);
        assertWorksAgain();
    }

    @Test
    @Requirement({"DCORE-CTX-13", "DCORE-CTX-14"})
    void toldByAListenerThatProgressesIsEachChangeOnce() {
        List<CtxState> told = new ArrayList<>();
        ours.rdma.onStateChange((_, _, next) -> {
            told.add(next);
            if (next == CtxState.STOPPING) {
                ours.engine.progress();
            }
        });
        ours.rdma.start();

        assertThat(ours.rdma.stop()).isEqualTo(CtxState.IDLE);

        assertThat(told).containsExactly(CtxState.STARTING, CtxState.STOPPING, CtxState.IDLE);
        assertThat(ours.engine.callbackFailures()).isZero();
    }

    /// The device is closed after each test, which it cannot be with a queue left open.
    @Test
    void aStartForWhichTheDeviceHasNoQueuePairLeavesNothingBehind() {
        ours.withAllQueuePairsTaken(() -> {
            assertNoMemory(ours.rdma::start);
            assertThat(ours.rdma.state()).isEqualTo(CtxState.IDLE);
            assertThat(ours.states).isEmpty();
        });

        assertThat(ours.rdma.start()).isEqualTo(CtxState.STARTING);
    }

    @Test
    void anExportForWhichTheDeviceHasNoQueuePairLeavesNothingBehind() {
        ours.rdma.connectionMode(ConnectionMode.OPEN).start();

        ours.withAllQueuePairsTaken(() -> assertNoMemory(ours.rdma::export));

        assertThat(ours.rdma.export().state()).isEqualTo(RdmaState.INIT);
        assertThatThrownBy(ours.rdma::export).hasMessageContaining("all of its 1 connections");
    }

    /// The device stays open, since ours has it, too.
    @Test
    @Requirement("DTEST-8")
    void afterTheHandleItWasMadeWithWasClosed() {
        DocaDev handle = DocaDev.open(ours.dev.info());
        try (Rdma context = new Rdma(handle)) {
            context.connectionMode(ConnectionMode.OPEN).attach(ours.engine).start();

            handle.close();

            assertThat(context.export().details()).isNotEmpty();
            ours.engine.progress();
            assertThat(context.state()).isEqualTo(CtxState.RUNNING);
            assertThat(context.stop()).isEqualTo(CtxState.IDLE);
        }
    }

    private static void assertNoMemory(ThrowingCallable call) {
        assertThatThrownBy(call)
                .hasMessageContaining("queue pairs")
                .isInstanceOfSatisfying(
                        DocaException.class,
                        e -> assertThat(e.error()).isEqualTo(DocaError.NO_MEMORY));
    }

    /// As many tasks of each type, none of which can complete: the peer posts no receive for the
    /// first.
    private List<RdmaTask> submitted(int ofEachType, SyncEventRemoteNet event) {
        List<RdmaTask> tasks = new ArrayList<>();
        Be32 immediate = Be32.ofHost(1);
        Buf local = ours.buf(0, 32, 0, 8);
        RemoteBuf remote = ours.remoteBuf(0, 32, 0, 8);
        for (int i = 0; i < ofEachType; i++) {
            tasks.add(ours.peer.allocSend(local));
            tasks.add(ours.peer.allocSendImm(local, immediate));
            tasks.add(ours.peer.allocRead(remote, local));
            tasks.add(ours.peer.allocWrite(local, remote));
            tasks.add(ours.peer.allocWriteImm(local, remote, immediate));
            tasks.add(ours.peer.allocAtomicCmpSwp(remote, local, 0, 1));
            tasks.add(ours.peer.allocAtomicFetchAdd(remote, local, 1));
            tasks.add(ours.peer.allocSyncEventGet(event, local));
            tasks.add(ours.peer.allocSyncEventNotifySet(event, local));
            tasks.add(ours.peer.allocSyncEventNotifyAdd(event, 1, local));
            tasks.add(ours.rdma.allocReceive(local));
        }
        tasks.forEach(RdmaTask::submitOrThrow);
        return tasks;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, RdmaEnd.TASKS})
    @Requirement({"DTEST-8", "DFLT-34", "DCORE-CTX-8", "DCORE-TASK-7", "DRDMA-FAIL-4"})
    void withTasksOfEachTypeInFlightFlushesEveryOneOnce(int ofEachType) {
        ours.rdma.rnrRetryCount(7);
        connect();
        try (SyncEvent event =
                new SyncEvent(theirs.dev)
                        .publisher(Location.REMOTE_NET)
                        .subscriber(Location.CPU)
                        .start()) {
            List<RdmaTask> tasks =
                    submitted(
                            ofEachType,
                            SyncEventRemoteNet.fromExport(ours.dev, event.exportToRemoteNet()));
            ours.engine.progress();

            CtxState state = ours.rdma.stop();

            assertThat(state).isEqualTo(ofEachType == 0 ? CtxState.IDLE : CtxState.STOPPING);
            ours.progressUntil(() -> ours.rdma.inFlightTasks() == 0);
            assertThat(ours.done).containsExactlyInAnyOrderElementsOf(tasks);
            tasks.forEach(RdmaStopContract::assertFlushed);
            assertBecomesIdle();
            assertThat(event.get()).isZero();
            assertWorksAgain();
        }
    }

    /// Tasks that do complete meet the stop wherever they are.
    @Test
    @Requirement({"DTEST-8", "DFLT-34", "DCORE-CTX-8", "DCORE-TASK-7"})
    void whileTasksCompleteEndsEachOnce() {
        connect();
        for (int completed = 1; completed <= RdmaEnd.TASKS; completed++) {
            List<RdmaTask> tasks = new ArrayList<>();
            for (int i = 0; i < RdmaEnd.TASKS; i++) {
                tasks.add(ours.peer.allocRead(ours.remoteData(0, 64), ours.room(64L * i, 64)));
            }
            tasks.forEach(RdmaTask::submitOrThrow);
            int least = completed;
            ours.progressUntil(() -> ours.done.size() >= least);

            ours.rdma.stop();
            ours.progressUntil(() -> ours.rdma.inFlightTasks() == 0);

            assertThat(ours.done).containsExactlyElementsOf(tasks);
            assertThat(ours.done.subList(0, least))
                    .allMatch(task -> task.status() == DocaError.SUCCESS);
            tasks.stream()
                    .filter(task -> task.status() != DocaError.SUCCESS)
                    .forEach(RdmaStopContract::assertFlushed);
            assertBecomesIdle();
            assertWorksAgain();
        }
    }

    @Test
    @Requirement({"DTEST-8", "DCORE-CTX-7", "DCORE-CTX-10"})
    void inACallbackOfATaskThatSucceeded() {
        ours.rdma.rnrRetryCount(7);
        connect();
        ReceiveTask taken = posted(null);
        List<CtxState> stopped = new ArrayList<>();
        List<DocaError> resubmitted = new ArrayList<>();
        ours.then =
                task -> {
                    stopped.add(ours.rdma.stop());
                    resubmitted.add(task.submit());
                };
        SendTask first = ours.peer.allocSend(null);
        SendTask second = ours.peer.allocSend(null);
        ReceiveTask receive = ours.rdma.allocReceive(null);
        List.of(first, second, receive).forEach(RdmaTask::submitOrThrow);

        ours.progressUntil(() -> ours.rdma.inFlightTasks() == 0);

        assertThat(ours.done).containsExactly(first, second, receive);
        assertThat(first.status()).isEqualTo(DocaError.SUCCESS);
        assertFlushed(second);
        assertFlushed(receive);
        assertThat(stopped).containsOnly(CtxState.STOPPING).hasSize(3);
        assertThat(resubmitted).containsOnly(DocaError.BAD_STATE);
        assertThat(theirs.next()).isSameAs(taken);
        taken.free();
        assertBecomesIdle();
        assertWorksAgain();
    }

    @Test
    @Requirement({"DTEST-8", "DCORE-CTX-7"})
    void inACallbackOfATaskThatFailed() {
        connect();
        ours.then = _ -> ours.rdma.stop();
        ReadTask invalid = ours.peer.allocRead(ours.remoteData(0, 8), null);
        ReceiveTask receive = ours.rdma.allocReceive(null);
        receive.submitOrThrow();
        assertThat(invalid.submit()).isEqualTo(DocaError.SUCCESS);

        ours.progressUntil(() -> ours.rdma.inFlightTasks() == 0);

        assertThat(ours.done).containsExactly(invalid, receive);
        assertThat(invalid.status()).isEqualTo(DocaError.INVALID_VALUE);
        assertFlushed(receive);
        assertThat(ours.rdma.stopCause()).isEmpty();
        assertBecomesIdle();
        assertWorksAgain();
    }

    @ParameterizedTest
    @EnumSource(names = {"STARTING", "RUNNING", "STOPPING", "IDLE"})
    @Requirement({"DTEST-8", "DCORE-CTX-14"})
    void inACallbackOfAStateChange(CtxState at) {
        ours.thenIn =
                state -> {
                    if (state == at) {
                        ours.rdma.stop();
                    }
                };
        ours.rdma.start();
        if (at != CtxState.STARTING) {
            theirs.rdma.start();
            ours.rdma.export().connect(theirs.rdma.export().details());
            ours.progressUntil(() -> ours.states.contains(CtxState.RUNNING));
            ours.rdma.stop();
        }
        assertBecomesIdle();

        assertThat(ours.states)
                .containsExactlyElementsOf(
                        at == CtxState.STARTING
                                ? List.of(CtxState.STARTING, CtxState.STOPPING, CtxState.IDLE)
                                : List.of(
                                        CtxState.STARTING,
                                        CtxState.RUNNING,
                                        CtxState.STOPPING,
                                        CtxState.IDLE));
        assertWorksAgain();
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DTEST-8", "DCORE-CTX-7", "DRDMA-CM-7", "DRDMA-CM-10"})
    void inACallbackOfAConnection(ConnectionNotes.Callback at) {
        ConnectionNotes here = new ConnectionNotes();
        List<CtxState> stopped = new ArrayList<>();
        here.then =
                callback -> {
                    if (callback == at) {
                        stopped.add(ours.rdma.stop());
                    }
                };
        ConnectionNotes there = new ConnectionNotes();
        there.answer =
                at == ConnectionNotes.Callback.FAILED
                        ? RdmaConnection::reject
                        : RdmaConnection::accept;
        ours.rdma.onConnection(here).start();
        theirs.rdma.onConnection(there).start();
        if (at == ConnectionNotes.Callback.REQUESTED) {
            theirs.rdma.connectTo(ours.address(ours.rdma.listen(0)), null);
        } else {
            ours.rdma.connectTo(theirs.address(theirs.rdma.listen(0)), null);
        }
        if (at == ConnectionNotes.Callback.DISCONNECTED) {
            progressBothUntil(() -> !here.established.isEmpty() && !there.established.isEmpty());
            there.established.getFirst().disconnect();
        }

        progressBothUntil(() -> ours.rdma.state() == CtxState.IDLE);

        assertThat(stopped).containsExactly(CtxState.STOPPING);
        assertThat(here.failed.size() + here.disconnected.size())
                .isEqualTo(at == ConnectionNotes.Callback.REQUESTED ? 0 : 1);
        assertThat(ours.engine.callbackFailures()).isZero();
        progressBothUntil(() ->
                at == ConnectionNotes.Callback.FAILED
                        || there.failed.size() + there.disconnected.size() == 1);
        assertThat(theirs.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    private void progressBothUntil(BooleanSupplier condition) {
        ours.progressUntil(() -> {
            theirs.engine.progress();
            return condition.getAsBoolean();
        });
    }
}
