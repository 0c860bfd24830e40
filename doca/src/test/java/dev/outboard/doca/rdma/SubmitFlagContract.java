package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.SubmitFlag;
import dev.outboard.doca.ValidationRule;
import dev.outboard.testkit.Requirement;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Tasks that are held back until a flush, on every provider.
abstract class SubmitFlagContract extends RdmaPairContract {
    private static final Set<SubmitFlag> HOLD_BACK = Set.of();

    private SendImmTask submitted(int number, Set<SubmitFlag> flags) {
        SendImmTask task = ours.peer.allocSendImm(null, Be32.ofHost(number));
        assertThat(task.submit(flags)).isEqualTo(DocaError.SUCCESS);
        return task;
    }

    private void assertHears(int number) {
        ReceiveTask receive = (ReceiveTask) theirs.next();
        assertThat(receive.immediateHost()).isEqualTo(number);
    }

    /// A message and its acknowledgement go the other way, and nothing else happens.
    private void assertNothingWasSent(ReceiveTask receive) {
        assertSucceeds(theirs, theirs.peer.allocSend(null));
        assertThat(ours.next()).isSameAs(receive);
        assertThat(theirs.engine.progress()).isFalse();
        assertThat(ours.engine.progress()).isFalse();
    }

    @Test
    @Requirement({"DCORE-TASK-15", "DCORE-CTX-17a"})
    void whatIsHeldBackGoesOutWhenTheContextIsFlushed() {
        connect();
        posted(null);
        posted(null);
        ReceiveTask other = ours.rdma.allocReceive(null);
        other.submitOrThrow();
        SendImmTask first = submitted(1, HOLD_BACK);
        SendImmTask second = submitted(2, Set.of(SubmitFlag.OPTIMIZE_REPORTS));
        assertThat(first.status()).isEqualTo(DocaError.IN_PROGRESS);
        assertNothingWasSent(other);

        ours.rdma.flushTasks();

        assertThat(ours.next()).isSameAs(first);
        assertThat(ours.next()).isSameAs(second);
        assertHears(1);
        assertHears(2);
    }

    @Test
    @Requirement("DCORE-CTX-17a")
    void eachFlushPushesWhatWasHeldBackSinceTheLast() {
        connect();
        for (int number = 1; number <= 2; number++) {
            posted(null);
            SendImmTask only = submitted(number, HOLD_BACK);
            ours.rdma.flushTasks();
            assertThat(ours.next()).isSameAs(only);
            assertHears(number);
        }
    }

    @Test
    @Requirement("DCORE-TASK-15")
    void aTaskWithTheFlushFlagPushesThoseBeforeIt() {
        connect();
        for (int i = 0; i < 4; i++) {
            posted(null);
        }
        submitted(1, HOLD_BACK);
        submitted(2, HOLD_BACK);
        submitted(3, Set.of(SubmitFlag.FLUSH, SubmitFlag.OPTIMIZE_REPORTS));
        SendImmTask last = ours.peer.allocSendImm(null, Be32.ofHost(4));
        last.submitOrThrow();
        for (int number = 1; number <= 4; number++) {
            assertThat(ours.next().status()).isEqualTo(DocaError.SUCCESS);
            assertHears(number);
        }
    }

    @Test
    @Requirement("DCORE-TASK-15")
    void aQueueFullOfHeldBackTasksIsPushed() {
        ours.rdma.sendQueueSize(2);
        connect();
        posted(null);
        posted(null);
        submitted(1, HOLD_BACK);
        submitted(2, HOLD_BACK);
        SendImmTask third = ours.peer.allocSendImm(null, Be32.ofHost(3));
        assertThat(third.submit(HOLD_BACK)).isEqualTo(DocaError.FULL);
        assertHears(1);
        assertHears(2);
    }

    @Test
    @Requirement({"DCORE-TASK-15", "DCORE-CTX-7"})
    void stoppingFlushesWhatWasHeldBack() {
        connect();
        SendImmTask first = submitted(1, HOLD_BACK);
        SendImmTask second = submitted(2, HOLD_BACK);
        ours.rdma.stop();
        assertThat(ours.next()).isSameAs(first);
        assertThat(ours.next()).isSameAs(second);
        assertThat(first.status()).isEqualTo(DocaError.BAD_STATE);
        assertThat(second.status()).isEqualTo(DocaError.BAD_STATE);
    }

    @Test
    @Requirement("DCORE-TASK-6")
    void aHeldBackTaskWhoseBufferIsGoneFailsInItsTurn() {
        connect();
        posted(null);
        posted(null);
        submitted(1, HOLD_BACK);
        Buf given = ours.data(0, (byte) 7);
        SendTask broken = ours.peer.allocSend(given);
        broken.submit(HOLD_BACK);
        given.release();
        SendImmTask last = submitted(2, Set.of(SubmitFlag.FLUSH));

        assertThat(ours.next().status()).isEqualTo(DocaError.SUCCESS);
        assertThat(ours.next()).isSameAs(broken);
        assertThat(broken.failure())
                .contains(FailureCause.Validation.of(ValidationRule.BUFFER_RETURNED));
        assertThat(ours.next()).isSameAs(last);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
        assertHears(1);
        assertHears(2);
    }
}
