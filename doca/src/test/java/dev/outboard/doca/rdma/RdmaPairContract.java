package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.CompletionStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// Two ends to connect, whose memory holds different patterns.
abstract class RdmaPairContract {
    RdmaEnd ours;
    RdmaEnd theirs;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    final void open() {
        ours = new RdmaEnd(device());
        theirs = new RdmaEnd(device());
        ours.fill(1);
        theirs.fill(2);
    }

    @AfterEach
    final void close() {
        ours.close();
        theirs.close();
    }

    final void connect() {
        RdmaEnd.connect(ours, theirs);
    }

    /// A receive that theirs has submitted.
    final ReceiveTask posted(Buf dst) {
        ReceiveTask receive = theirs.rdma.allocReceive(dst);
        receive.submitOrThrow();
        return receive;
    }

    static void assertSucceeds(RdmaEnd end, RdmaTask task) {
        assertThat(end.run(task)).as("%s: %s", task, task.failure()).isEqualTo(DocaError.SUCCESS);
    }

    /// The transport ended `task` with `status`, and its context for that.
    static void assertFatal(CompletionStatus status, RdmaTask task) {
        FailureCause cause = FailureCause.Transport.of(status);
        assertThat(task.status()).isEqualTo(DocaError.IO_FAILED);
        assertThat(task.failure()).contains(cause);
        assertThat(task.ctx().state()).isEqualTo(CtxState.STOPPING);
        assertThat(task.ctx().stopCause()).contains(cause);
    }

    /// `trySubmit` refuses `task`; `submit` leaves it to the error callback, and the context runs.
    static void assertBreaks(ValidationRule rule, RdmaEnd end, RdmaTask task) {
        FailureCause cause = FailureCause.Validation.of(rule);
        assertThat(task.trySubmit()).isEqualTo(rule.error());
        assertThat(task.failure()).contains(cause);
        assertThat(end.rdma.inFlightTasks()).isZero();
        assertThat(end.run(task)).isEqualTo(rule.error());
        assertThat(task.failure()).contains(cause);
        assertThat(end.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    /// Both ends work: a message gets through.
    final void assertConnected() {
        ReceiveTask receive = posted(theirs.room(0, 1));
        SendTask send = ours.peer.allocSend(ours.data(0, (byte) 1));
        assertSucceeds(ours, send);
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.status()).isEqualTo(DocaError.SUCCESS);
        send.free();
        receive.free();
    }
}
