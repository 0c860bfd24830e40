package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.BatchSize;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.Task;
import dev.outboard.doca.TaskBatch;
import dev.outboard.doca.ValidationRule;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Tasks that are submitted, and complete, as one, on every provider.
abstract class TaskBatchContract extends RdmaPairContract {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /// The batches called back, in order.
    private final List<TaskBatch<SendImmTask>> succeeded = new ArrayList<>();

    private final List<TaskBatch<SendImmTask>> failed = new ArrayList<>();

    private void connectWithBatches() {
        ours.rdma.batch(SendImmTask.class, BatchSize.TASKS_16, succeeded::add, failed::add, 1);
        connect();
    }

    private List<SendImmTask> sends(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> ours.peer.allocSendImm(Be32.ofHost(i)))
                .toList();
    }

    private TaskBatch<SendImmTask> batch(int count) {
        return ours.rdma.allocBatch(sends(count));
    }

    private List<ReceiveTask> postedByThePeer(int count) {
        return IntStream.range(0, count).mapToObj(i -> posted(null)).toList();
    }

    @Test
    @Requirement("DCORE-TASK-17b")
    void oneSubmitAndOneCallbackStandForAll() {
        connectWithBatches();
        List<ReceiveTask> receives = postedByThePeer(16);
        TaskBatch<SendImmTask> batch = batch(16);
        batch.userData("batch");
        batch.tasks().get(3).userData("fourth");

        assertThat(batch.submit()).isEqualTo(DocaError.SUCCESS);
        assertThat(batch.status()).isEqualTo(DocaError.IN_PROGRESS);
        assertThat(batch.tasks()).allMatch(Task::isInFlight);
        assertThat(ours.rdma.inFlightTasks()).isEqualTo(16);

        ours.progressUntil(() -> !succeeded.isEmpty());
        assertThat(succeeded).containsExactly(batch);
        assertThat(failed).isEmpty();
        assertThat(ours.done).as("callbacks of its tasks").isEmpty();
        assertThat(batch.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(batch.tasks()).allMatch(task -> task.status() == DocaError.SUCCESS);
        assertThat(batch.userData()).isEqualTo("batch");
        assertThat(batch.tasks().get(3).userData()).isEqualTo("fourth");
        theirs.progressUntil(() -> theirs.done.size() == 16);
        assertThat(receives)
                .as("in the order of the batch")
                .extracting(ReceiveTask::immediateHost)
                .isEqualTo(IntStream.range(0, 16).boxed().toList());
    }

    @Test
    @Requirement("DCORE-TASK-17b")
    void theCallbackComesWithTheLastTaskOnly() {
        connectWithBatches();
        TaskBatch<SendImmTask> batch = batch(2);
        batch.submitOrThrow();
        posted(null);
        ours.progressUntil(() -> !batch.tasks().getFirst().isInFlight());
        assertThat(batch.isInFlight()).isTrue();
        assertThat(succeeded).isEmpty();
        posted(null);
        ours.progressUntil(() -> !batch.isInFlight());
        assertThat(succeeded).containsExactly(batch);
    }

    @Test
    @Requirement("DCORE-TASK-17b")
    void aBatchThatFindsTooLittleRoomIsNotSubmittedAtAll() {
        ours.rdma.sendQueueSize(16).send(1);
        theirs.rdma.receive(32);
        connectWithBatches();
        SendTask waiting = ours.peer.allocSend();
        waiting.submitOrThrow();
        TaskBatch<SendImmTask> batch = batch(16);

        assertThat(batch.submit()).isEqualTo(DocaError.FULL);
        assertThat(batch.trySubmit()).isEqualTo(DocaError.FULL);
        assertThat(batch.isInFlight()).isFalse();
        assertThat(ours.rdma.inFlightTasks()).isEqualTo(1);

        postedByThePeer(1);
        ours.progressUntil(() -> !waiting.isInFlight());
        postedByThePeer(15);
        assertThat(batch.submit()).isEqualTo(DocaError.SUCCESS);
        posted(null);
        batch.awaitSuccess(LIMIT);
    }

    @Test
    @Requirement("DCORE-TASK-17b")
    void aBatchWithATaskThatCannotWorkIsRefusedAsAWhole() {
        connectWithBatches();
        TaskBatch<SendImmTask> batch = batch(3);
        SendImmTask broken = batch.tasks().get(1);
        broken.src(ours.rooms(ours.rdma.maxSendBufListLen() + 1, 0, 1));

        assertThat(batch.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        FailureCause cause = FailureCause.Validation.of(ValidationRule.LIST_TOO_LONG);
        assertThat(batch.failure()).contains(cause);
        assertThat(broken.failure()).contains(cause);
        assertThat(ours.rdma.inFlightTasks()).isZero();
        assertRefused(DocaError.INVALID_VALUE, batch::submitOrThrow, "batch of 3 SendImmTasks");
    }

    @Test
    @Requirement("DCORE-TASK-17b")
    void aBatchFailsIfOneOfItsTasksDoes() {
        connectWithBatches();
        List<ReceiveTask> receives = postedByThePeer(2);
        TaskBatch<SendImmTask> batch = batch(3);
        batch.tasks().get(1).src(ours.rooms(ours.rdma.maxSendBufListLen() + 1, 0, 1));

        assertThat(batch.submit()).isEqualTo(DocaError.SUCCESS);
        ours.progressUntil(() -> !batch.isInFlight());

        assertThat(failed).containsExactly(batch);
        assertThat(succeeded).isEmpty();
        assertThat(batch.status()).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(batch.failure())
                .contains(FailureCause.Validation.of(ValidationRule.LIST_TOO_LONG));
        assertThat(batch.tasks())
                .extracting(Task::status)
                .containsExactly(DocaError.SUCCESS, DocaError.INVALID_VALUE, DocaError.SUCCESS);
        theirs.progressUntil(() -> theirs.done.size() == 2);
        assertThat(receives).extracting(ReceiveTask::immediateHost).containsExactly(0, 2);
    }

    @Test
    @Requirement("DCORE-TASK-17b")
    void stoppingFlushesABatchOnce() {
        connectWithBatches();
        TaskBatch<SendImmTask> batch = batch(16);
        batch.submitOrThrow();
        assertRefused(DocaError.BAD_STATE, batch::free, "in flight");
        assertThat(batch.submit()).isEqualTo(DocaError.BAD_STATE);
        assertThat(batch.tasks().getFirst().submit()).isEqualTo(DocaError.BAD_STATE);

        ours.rdma.stop();
        ours.progressUntil(() -> !batch.isInFlight());

        assertThat(failed).containsExactly(batch);
        assertThat(batch.status()).isEqualTo(DocaError.BAD_STATE);
        assertThat(ours.rdma.state()).as("with the tasks not freed").isEqualTo(CtxState.STOPPING);
        batch.free();
        batch.free();
        ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
        assertRefused(DocaError.BAD_STATE, batch.tasks().getFirst()::submit, "freed");
        assertRefused(DocaError.BAD_STATE, batch::submit, "freed");
    }

    @Test
    void aTaskInFlightKeepsItsBatchFromBeingSubmittedAndFreed() {
        connectWithBatches();
        TaskBatch<SendImmTask> batch = batch(2);
        batch.tasks().get(1).submitOrThrow();
        assertThat(batch.submit()).isEqualTo(DocaError.BAD_STATE);
        assertRefused(DocaError.BAD_STATE, batch::free, "in flight");
        assertThat(batch.tasks().getFirst().isInFlight()).isFalse();
        posted(null);
        assertThat(ours.next()).as("its own callback").isSameAs(batch.tasks().get(1));
    }

    @ParameterizedTest
    @EnumSource(BatchSize.class)
    @Requirement("DCORE-TASK-17a")
    void aBatchHasAtMostAsManyTasksAsWereEnabled(BatchSize size) {
        int most = size.maxTasks();
        assertThat(size.name()).isEqualTo("TASKS_" + most);
        ours.rdma.sendImm(most + 1).batch(SendImmTask.class, size, 1);
        theirs.rdma.receive(most);
        connect();
        List<SendImmTask> sends = sends(most + 1);
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> ours.rdma.allocBatch(sends),
                "a batch of %d tasks; valid: 1 to %d".formatted(most + 1, most));
        TaskBatch<SendImmTask> batch = ours.rdma.allocBatch(sends.subList(0, most));
        postedByThePeer(most);
        batch.submitOrThrow();
        batch.awaitSuccess(LIMIT);
    }

    @Test
    void aBatchHasTasksOfOneTypeAndContextEachOnce() {
        ours.rdma.batch(SendTask.class, BatchSize.TASKS_16, 2);
        connectWithBatches();
        SendTask send = ours.peer.allocSend();
        SendImmTask sendImm = ours.peer.allocSendImm(Be32.ofHost(1));
        SendTask foreign = theirs.peer.allocSend();
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> ours.rdma.<RequestTask>allocBatch(List.of(send, sendImm)),
                "send of nothing with immediate",
                "cannot be in a batch with SendTasks");
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> ours.rdma.allocBatch(List.of(send, foreign)),
                "cannot be in a batch");
        assertRefused(
                DocaError.INVALID_VALUE, () -> ours.rdma.allocBatch(List.of(send, send)), "twice");
        assertRefused(DocaError.INVALID_VALUE, () -> ours.rdma.allocBatch(List.of()), "1 to");
    }

    @Test
    void batchesAreEnabledBeforeStartAndBoundedInNumber() {
        ours.rdma.receive(8).recvQueueSize(4).batch(ReceiveTask.class, BatchSize.TASKS_16, 1);
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> ours.rdma.batch(SendTask.class, BatchSize.TASKS_16, 0),
                "from 1");
        connectWithBatches();
        assertRefused(
                DocaError.BAD_STATE,
                () -> ours.rdma.batch(SendTask.class, BatchSize.TASKS_16, 1),
                "RUNNING");
        assertRefused(
                DocaError.NOT_PERMITTED,
                () -> ours.rdma.allocBatch(List.of(ours.peer.allocSend())),
                "batches of SendTask",
                "not enabled");
        TaskBatch<SendImmTask> only = batch(1);
        assertRefused(DocaError.NO_MEMORY, () -> batch(1), "all 1 batches of SendImmTask");
        only.free();
        batch(1).free();
        List<ReceiveTask> receives =
                IntStream.range(0, 5).mapToObj(i -> ours.rdma.allocReceive()).toList();
        assertRefused(
                DocaError.INVALID_VALUE, () -> ours.rdma.allocBatch(receives), "1 to the 4 that");
    }

    @Test
    @Requirement("DCORE-TASK-17b")
    void receivesCanBeABatchToo() {
        List<TaskBatch<ReceiveTask>> called = new ArrayList<>();
        theirs.rdma.batch(ReceiveTask.class, BatchSize.TASKS_16, called::add, called::add, 1);
        connect();
        List<ReceiveTask> receives =
                IntStream.range(0, 3).mapToObj(i -> theirs.rdma.allocReceive()).toList();
        TaskBatch<ReceiveTask> batch = theirs.rdma.allocBatch(receives);
        batch.submitOrThrow();
        for (int i = 0; i < 3; i++) {
            assertThat(called).as("before message " + i).isEmpty();
            assertSucceeds(ours, ours.peer.allocSendImm(Be32.ofHost(i)));
        }
        theirs.progressUntil(() -> !called.isEmpty());
        assertThat(called).containsExactly(batch);
        assertThat(receives).extracting(ReceiveTask::immediateHost).containsExactly(0, 1, 2);
        assertThat(theirs.done).isEmpty();
    }

    @Test
    void aBatchCanBeHeldBack() {
        connectWithBatches();
        postedByThePeer(2);
        TaskBatch<SendImmTask> batch = batch(2);
        assertThat(batch.submit(Set.of())).isEqualTo(DocaError.SUCCESS);
        assertThat(ours.engine.progress()).isFalse();
        assertThat(batch.isInFlight()).isTrue();
        ours.rdma.flushTasks();
        ours.progressUntil(() -> !batch.isInFlight());
        assertThat(succeeded).containsExactly(batch);
    }
}
