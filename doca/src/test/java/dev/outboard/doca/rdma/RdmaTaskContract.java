package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.doca.Buf;
import dev.outboard.doca.Completion;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The life of a task, on every provider.
abstract class RdmaTaskContract extends RdmaPairContract {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Be32 IMMEDIATE = Be32.ofHost(1);

    private List<RdmaTask> oneOfEach() {
        Buf src = ours.dataAt(0, 8);
        Buf room = ours.room(64, 8);
        RemoteBuf far = ours.remoteBuf(512, 32, 512, 8);
        return List.of(
                ours.rdma.allocReceive(room),
                ours.peer.allocSend(src),
                ours.peer.allocSendImm(src, IMMEDIATE),
                ours.peer.allocRead(far, room),
                ours.peer.allocWrite(src, far),
                ours.peer.allocWriteImm(src, far, IMMEDIATE),
                ours.peer.allocAtomicCmpSwp(far, room, 0, 1),
                ours.peer.allocAtomicFetchAdd(far, room, 1));
    }

    @Test
    @Requirement({"DCORE-TASK-1", "DCORE-TASK-3", "DFLT-31"})
    void asManyAreAllocatedAsWereEnabled() {
        ours.rdma.send(task -> {}, task -> {}, 3);
        connect();
        List<SendTask> sends = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            sends.add(ours.peer.allocSend(null));
        }
        assertRefused(DocaError.NO_MEMORY, () -> ours.peer.allocSend(null), "3 SEND");
        assertThat(ours.peer.allocSendImm(null, IMMEDIATE)).as("another type").isNotNull();
        sends.getFirst().free();
        assertThat(ours.peer.allocSend(null)).isNotSameAs(sends.getFirst());
        assertRefused(DocaError.NO_MEMORY, () -> ours.peer.allocSend(null), "3 SEND");
    }

    static Stream<Enabling> enablings() {
        return Stream.of(
                Rdma::receive,
                Rdma::send,
                Rdma::sendImm,
                Rdma::read,
                Rdma::write,
                Rdma::writeImm,
                Rdma::atomicCmpSwp,
                Rdma::atomicFetchAdd);
    }

    /// A method of [Rdma] that enables a type of task.
    interface Enabling {
        Rdma enable(Rdma rdma, Consumer<RdmaTask> onSuccess, Consumer<RdmaTask> onError, int count);
    }

    @ParameterizedTest
    @MethodSource("enablings")
    @Requirement({"DRDMA-CONF-1", "DRDMA-CONF-2"})
    void bothCallbacksAndACountAreNeeded(Enabling type) {
        Consumer<RdmaTask> one = task -> {};
        assertRefused(DocaError.INVALID_VALUE, () -> type.enable(ours.rdma, null, one, 1));
        assertRefused(DocaError.INVALID_VALUE, () -> type.enable(ours.rdma, one, null, 1));
        assertRefused(DocaError.INVALID_VALUE, () -> type.enable(ours.rdma, one, one, 0), "0");
        assertRefused(DocaError.INVALID_VALUE, () -> type.enable(ours.rdma, one, one, -1));
        assertThat(type.enable(ours.rdma, one, one, 1)).isSameAs(ours.rdma);
    }

    @Test
    @Requirement("DCORE-TASK-1")
    void whoLooksAtTheTaskNeedsNoCallback() {
        ours.rdma.send(1);
        theirs.rdma.receive(1);
        connect();
        ReceiveTask receive = posted(theirs.room(0, 1));
        SendTask send = ours.peer.allocSend(ours.data(0, (byte) 7));
        send.submitOrThrow();
        assertThat(send.isInFlight()).isTrue();
        send.awaitSuccess(PATIENCE);
        receive.awaitSuccess(PATIENCE);
        assertThat(send.isInFlight()).isFalse();
        assertThat(receive.dst().dataLen()).isEqualTo(1);

        receive.submitOrThrow();
        assertRefused(DocaError.TIME_OUT, () -> receive.awaitSuccess(Duration.ofMillis(1)));
        theirs.rdma.stop();
        assertRefused(DocaError.BAD_STATE, () -> receive.awaitSuccess(PATIENCE), "failed");
        assertThat(ours.done).isEmpty();
    }

    @Test
    @Requirement({"DCORE-TASK-3", "DFLT-30"})
    void typesThatWereNotEnabledAreNotPermitted() {
        try (Rdma bare = new Rdma(ours.dev)) {
            bare.connectionMode(ConnectionMode.OPEN).attach(ours.engine).start();
            RdmaConnection peer = bare.export();
            RemoteBuf far = null;
            assertRefused(DocaError.NOT_PERMITTED, () -> bare.allocReceive(null), "RECEIVE");
            assertRefused(DocaError.NOT_PERMITTED, () -> peer.allocSend(null), "SEND");
            assertRefused(DocaError.NOT_PERMITTED, () -> peer.allocSendImm(null, IMMEDIATE));
            assertRefused(DocaError.NOT_PERMITTED, () -> peer.allocRead(far, null));
            assertRefused(DocaError.NOT_PERMITTED, () -> peer.allocWrite(null, far));
            assertRefused(DocaError.NOT_PERMITTED, () -> peer.allocWriteImm(null, far, IMMEDIATE));
        }
    }

    @Test
    @Requirement("DRDMA-CONF-2")
    void theLastConfigurationCounts() {
        List<String> called = new ArrayList<>();
        ours.rdma.send(task -> called.add("first"), task -> called.add("first"), 1);
        ours.rdma.send(task -> called.add("second"), task -> called.add("second"), 2);
        connect();
        posted(null);
        ours.peer.allocSend(null).submitOrThrow();
        assertThat(ours.peer.allocSend(null).ctx()).isSameAs(ours.rdma);
        ours.progressUntil(() -> !called.isEmpty());
        assertThat(called).containsExactly("second");
    }

    @Test
    @Requirement({"DCORE-TASK-4", "DJAVA-RDMA-1"})
    void aNewTaskHasItsOperandsAndBelongsToTheUser() {
        connect();
        Buf src = ours.dataAt(0, 8);
        RemoteBuf far = ours.remoteBuf(512, 32, 512, 8);
        WriteImmTask write = ours.peer.allocWriteImm(src, far, IMMEDIATE);
        assertThat(write.src()).isSameAs(src);
        assertThat(write.dst()).isSameAs(far);
        assertThat(write.immediate()).isEqualTo(IMMEDIATE);
        assertThat(write.connection()).isSameAs(ours.peer);
        assertThat(write.userData()).isNull();
        assertThat(write.userNumber()).isZero();
        AtomicCmpSwpTask swap = ours.peer.allocAtomicCmpSwp(far, src, 3, 4);
        assertThat(List.of(swap.compare(), swap.swap())).containsExactly(3L, 4L);
        assertThat(ours.rdma.inFlightTasks()).isZero();
        write.free();
        swap.free();
    }

    @Test
    @Requirement({"DCORE-TASK-7", "DCORE-TASK-8", "DCORE-PE-4", "DRDMA-COM-1", "DRDMA-COM-4"})
    void theCallbackRunsInProgressAndOnce() {
        connect();
        ReceiveTask receive = posted(null);
        SendTask send = ours.peer.allocSend(null);
        send.submitOrThrow();
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(ours.done).as("called back outside progress").isEmpty();
        assertThat(send.status()).isEqualTo(DocaError.IN_PROGRESS);
        assertThat(ours.next()).isSameAs(send);
        posted(null);
        assertSucceeds(ours, ours.peer.allocSend(null));
        assertThat(ours.done).as("called back twice").isEmpty();
    }

    @Test
    @Requirement({"DCORE-TASK-7", "DCORE-ERR-4", "DCORE-ERR-5", "DRDMA-FAIL-1", "DJAVA-API-6"})
    void successAndErrorHaveTheirCallbacks() {
        List<String> called = new ArrayList<>();
        ours.rdma.send(
                task -> called.add("success " + task.status() + " " + task.userNumber()),
                task ->
                        called.add(
                                "error %s %s %d"
                                        .formatted(
                                                task.status(),
                                                task.src().listLength(),
                                                task.userNumber())),
                2);
        connect();
        posted(null);
        SendTask good = ours.peer.allocSend(null);
        good.userNumber(1);
        SendTask bad = ours.peer.allocSend(ours.datas(5, 0, 1));
        bad.userNumber(2);
        good.submitOrThrow();
        assertThat(bad.submit()).isEqualTo(DocaError.SUCCESS);
        ours.progressUntil(() -> called.size() == 2);
        assertThat(called).containsExactly("success SUCCESS 1", "error INVALID_VALUE 5 2");
        assertThat(outcome(good)).isEqualTo("success");
        assertThat(outcome(bad)).isEqualTo("failed INVALID_VALUE: rule LIST_TOO_LONG");
    }

    /// The compiler knows that nothing is missing here.
    private static String outcome(RdmaTask task) {
        return switch (task.completion()) {
            case Completion.Success() -> "success";
            case Completion.Flushed() -> "flushed";
            case Completion.Failed(DocaError status, FailureCause cause) ->
                    "failed " + status + ": " + text(cause);
        };
    }

    private static String text(FailureCause cause) {
        return switch (cause) {
            case FailureCause.Transport(CompletionStatus status) -> "transport " + status;
            case FailureCause.Validation(ValidationRule rule) -> "rule " + rule;
            case FailureCause.Refusal(DocaError error, String _) -> "of a context " + error;
        };
    }

    @Test
    @Requirement({"DCORE-TASK-9", "DCORE-TASK-12"})
    void inItsCallbackATaskIsTheUsersAgain() {
        List<Integer> turns = new ArrayList<>();
        ours.rdma.send(
                task -> {
                    turns.add(turns.size());
                    if (turns.size() < 4) {
                        task.src(ours.data(turns.size(), (byte) turns.size()));
                        task.submitOrThrow();
                    } else {
                        task.free();
                    }
                },
                task -> {},
                1);
        connect();
        Buf dst = theirs.room(0, 4);
        for (int i = 0; i < 4; i++) {
            posted(theirs.room(i, 1));
        }
        ours.peer.allocSend(ours.data(0, (byte) 0)).submitOrThrow();
        ours.progressUntil(() -> turns.size() == 4);
        theirs.progressUntil(() -> theirs.done.size() == 4);
        assertThat(theirs.bytes(0, 4)).containsExactly(0, 1, 2, 3);
        assertThat(dst.dataLen()).isZero();
        assertThat(ours.engine.callbackFailures()).isZero();
        assertThat(ours.rdma.stop()).as("nothing is left to free").isEqualTo(CtxState.IDLE);
    }

    @Test
    @Requirement({"DCORE-TASK-10", "DCORE-TASK-11", "DCORE-TASK-13", "DFLT-36"})
    void whatDocaOwnsCannotBeTouched() {
        ours.rdma.rnrRetryCount(7);
        connect();
        ours.peer.allocSend(null).submitOrThrow(); // holds up what is behind it
        List<RdmaTask> tasks = oneOfEach();
        tasks.forEach(RdmaTask::submitOrThrow);
        for (RdmaTask task : tasks) {
            assertThat(task.submit()).isEqualTo(DocaError.BAD_STATE);
            assertThat(task.trySubmit()).isEqualTo(DocaError.BAD_STATE);
            assertThat(task.status()).isEqualTo(DocaError.IN_PROGRESS);
            assertRefused(DocaError.BAD_STATE, task::free, "in flight");
            for (Runnable setter : setters(task)) {
                assertRefused(DocaError.BAD_STATE, setter::run, "in flight");
            }
        }
        for (int i = 0; i < 4; i++) {
            posted(theirs.room(0, 8));
        }
        ours.progressUntil(() -> ours.done.size() == tasks.size());
        for (RdmaTask task : tasks.subList(1, tasks.size())) {
            assertThat(task.status()).as("%s", task).isEqualTo(DocaError.SUCCESS);
            setters(task).forEach(Runnable::run);
        }
    }

    /// Calls of every setter of `task`, which change nothing.
    private static List<Runnable> setters(RdmaTask task) {
        List<Runnable> setters = new ArrayList<>();
        setters.add(() -> task.userData(null));
        setters.add(() -> task.userNumber(0));
        if (task instanceof RequestTask request) {
            setters.add(() -> request.connection(request.connection()));
        }
        setters.addAll(
                switch (task) {
                    case ReceiveTask t -> List.<Runnable>of(() -> t.dst(t.dst()));
                    case SendTask t -> List.<Runnable>of(() -> t.src(t.src()));
                    case SendImmTask t ->
                            List.<Runnable>of(
                                    () -> t.src(t.src()), () -> t.immediate(t.immediate()));
                    case ReadTask t ->
                            List.<Runnable>of(() -> t.src(t.src()), () -> t.dst(t.dst()));
                    case WriteTask t ->
                            List.<Runnable>of(() -> t.src(t.src()), () -> t.dst(t.dst()));
                    case WriteImmTask t ->
                            List.<Runnable>of(
                                    () -> t.src(t.src()),
                                    () -> t.dst(t.dst()),
                                    () -> t.immediate(t.immediate()));
                    case AtomicCmpSwpTask t ->
                            List.<Runnable>of(
                                    () -> t.dst(t.dst()),
                                    () -> t.result(t.result()),
                                    () -> t.compare(0),
                                    () -> t.swap(0));
                    case AtomicFetchAddTask t ->
                            List.<Runnable>of(
                                    () -> t.dst(t.dst()),
                                    () -> t.result(t.result()),
                                    () -> t.add(0));
                    case SyncEventGetTask t ->
                            List.<Runnable>of(() -> t.event(t.event()), () -> t.dst(t.dst()));
                    case SyncEventNotifySetTask t ->
                            List.<Runnable>of(() -> t.event(t.event()), () -> t.src(t.src()));
                    case SyncEventNotifyAddTask t ->
                            List.<Runnable>of(
                                    () -> t.event(t.event()),
                                    () -> t.result(t.result()),
                                    () -> t.addend(0));
                });
        return setters;
    }

    @Test
    @Requirement("DCORE-TASK-11")
    void aFreedTaskCannotBeUsed() {
        connect();
        for (RdmaTask task : oneOfEach()) {
            List<Runnable> setters = setters(task);
            task.free();
            task.free();
            assertRefused(DocaError.BAD_STATE, task::submit, "freed");
            assertRefused(DocaError.BAD_STATE, task::trySubmit, "freed");
            assertRefused(DocaError.BAD_STATE, task::status, "freed");
            assertRefused(DocaError.BAD_STATE, task::failure, "freed");
            assertRefused(DocaError.BAD_STATE, task::userData, "freed");
            for (Runnable setter : setters) {
                assertRefused(DocaError.BAD_STATE, setter::run, "freed");
            }
            assertThat(task.toString()).isNotBlank();
        }
        assertThat(ours.rdma.inFlightTasks()).isZero();
    }

    /// Every getter there is, so that a new one cannot be forgotten.
    @Test
    @Requirement("DCORE-TASK-11")
    void aFreedTaskTellsWhatItWasAndNothingElse() throws Exception {
        connect();
        Set<String> told = Set.of("ctx", "type", "free", "toString", "hashCode", "getClass");
        for (RdmaTask task : oneOfEach()) {
            task.free();
            for (Method method : task.getClass().getMethods()) {
                if (method.getParameterCount() == 0
                        && method.getDeclaringClass() != Object.class
                        && !told.contains(method.getName())) {
                    assertThatExceptionOfType(InvocationTargetException.class)
                            .as("%s", method)
                            .isThrownBy(() -> method.invoke(task))
                            .satisfies(thrown ->
                                    assertRefused(
                                            DocaError.BAD_STATE,
                                            () -> {
                                                throw thrown.getCause();
                                            },
                                            "freed"));
                }
            }
            assertThat(task.ctx()).isSameAs(ours.rdma);
        }
    }

    @Test
    @Requirement("DCORE-TASK-13")
    void aTaskThatNeverCompletedHasNoStatus() {
        connect();
        SendTask task = ours.peer.allocSend(null);
        assertRefused(DocaError.BAD_STATE, task::status, "never completed");
        assertThat(task.failure()).isEmpty();
    }

    @Test
    @Requirement({"DCORE-TASK-5", "DCORE-TASK-6"})
    void whatIsRefusedStaysTheUsers() {
        connect();
        SendTask task = ours.peer.allocSend(ours.datas(5, 0, 1));
        assertThat(task.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        assertRefused(DocaError.INVALID_VALUE, task::submitOrThrow, "LIST_TOO_LONG");
        assertThat(ours.rdma.inFlightTasks()).isZero();
        posted(theirs.room(0, 1));
        task.src(ours.data(0, (byte) 1));
        assertSucceeds(ours, task);
        assertThat(task.failure()).isEmpty();
    }

    @Test
    @Requirement({"DCORE-TASK-16", "DFLT-32", "DRDMA-CAP-7", "DRDMA-PROP-1", "DRDMA-PROP-2"})
    void aFullQueueTakesNothingMore() {
        ours.rdma.rnrRetryCount(7).sendQueueSize(3).recvQueueSize(1);
        connect();
        List<SendTask> sends = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            sends.add(ours.peer.allocSend(null));
        }
        sends.subList(0, 4).forEach(SendTask::submitOrThrow);
        SendTask beyond = sends.getLast();
        assertThat(beyond.submit()).isEqualTo(DocaError.FULL);
        assertThat(beyond.trySubmit()).isEqualTo(DocaError.FULL);
        assertRefused(
                DocaError.FULL, beyond::submitOrThrow, "4 requests", "as sendQueueSize allows");
        assertRefused(DocaError.BAD_STATE, sends.getFirst()::submitOrThrow, "in flight");
        assertThat(ours.rdma.inFlightTasks()).isEqualTo(4);
        posted(null);
        assertThat(ours.next()).isSameAs(sends.getFirst());
        beyond.submitOrThrow();

        ReceiveTask only = ours.rdma.allocReceive(null);
        only.submitOrThrow();
        ReceiveTask another = ours.rdma.allocReceive(null);
        assertThat(another.submit()).isEqualTo(DocaError.FULL);
        assertRefused(
                DocaError.FULL, another::submitOrThrow, "1 receives", "as recvQueueSize allows");
    }

    @Test
    @Requirement("DRDMA-COM-14")
    void refusedTasksCompleteInTheirTurn() {
        connect();
        for (int i = 0; i < 3; i++) {
            posted(null);
        }
        SendTask first = ours.peer.allocSend(null);
        SendTask second = ours.peer.allocSend(ours.datas(5, 0, 1));
        SendTask third = ours.peer.allocSend(null);
        SendTask fourth = ours.peer.allocSend(ours.datas(5, 0, 1));
        List<SendTask> all = List.of(first, second, third, fourth);
        all.forEach(SendTask::submit);
        ours.progressUntil(() -> ours.done.size() == 4);
        assertThat(ours.done).containsExactlyElementsOf(all);
    }
}
