package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.FailureCause;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What callbacks of tasks may do, and what becomes of those that throw, on every provider.
abstract class TaskCallbackContract extends RdmaPairContract {
    private SendTask first;
    private SendTask impossible;

    /// The callback of a send has `then` done about a task that is refused.
    private void goOn(Runnable then) {
        connect();
        posted(null);
        first = ours.peer.allocSend();
        impossible = ours.peer.allocSend(theirs.data(0, (byte) 1));
        ours.then =
                task -> {
                    if (task == first) {
                        then.run();
                    }
                };
        first.submitOrThrow();
        assertThat(ours.next()).isSameAs(first);
    }

    @Test
    void aRefusalThatACallbackLetsPassStopsItsContext() {
        goOn(() -> impossible.submitOrThrow());

        assertThat(ours.rdma.state()).isEqualTo(CtxState.STOPPING);
        assertThat(ours.engine.callbackFailures()).isEqualTo(1);
        assertThat(ours.rdma.stopCause())
                .hasValueSatisfying(cause -> {
                    FailureCause.Refusal refusal = (FailureCause.Refusal) cause;
                    assertThat(refusal.error()).isEqualTo(DocaError.INVALID_VALUE);
                    assertThat(refusal.explanation()).contains("send of", "FOREIGN_DEVICE");
                });
        assertThat(theirs.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    void aRefusalThatACallbackCatchesIsItsOwnAffair() {
        goOn(() -> {
            try {
                impossible.submitOrThrow();
            } catch (DocaException expected) {
                impossible.free();
            }
        });

        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
        assertThat(ours.engine.callbackFailures()).isZero();
        assertThat(theirs.next().status()).isEqualTo(DocaError.SUCCESS);
        assertConnected();
    }

    @Test
    @Requirement({"DFLT-37", "DCORE-PE-6"})
    void aCallbackThatThrowsHarmsNothing() {
        List<SendTask> done = new ArrayList<>();
        ours.rdma.send(
                task -> {
                    done.add(task);
                    throw new IllegalStateException("by a callback, on purpose");
                },
                task -> {},
                4);
        connect();
        for (int i = 0; i < 4; i++) {
            posted(null);
            ours.peer.allocSend(null).submitOrThrow();
        }
        ours.progressUntil(() -> done.size() == 4);
        assertThat(ours.engine.callbackFailures()).isEqualTo(4);
        assertThat(done).extracting(SendTask::status).containsOnly(DocaError.SUCCESS);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
        done.forEach(SendTask::free);
    }

    @Test
    @Requirement({"DFLT-38", "DCORE-PE-5"})
    void aCallbackCannotProgressItsEngine() {
        List<Runnable> done = new ArrayList<>();
        ours.rdma.send(
                task -> {
                    assertRefused(DocaError.BAD_STATE, ours.engine::progress, "callback");
                    done.add(task::free);
                },
                task -> {},
                2);
        connect();
        posted(null);
        posted(null);
        ours.peer.allocSend(null).submitOrThrow();
        ours.peer.allocSend(null).submitOrThrow();
        ours.progressUntil(() -> done.size() == 2);
        assertThat(ours.engine.callbackFailures()).isZero();
    }

    @Test
    @Requirement({"DRDMA-COM-20", "DJAVA-PE-1"})
    void aPeerIsServedWhileItIsInACallback() {
        List<byte[]> read = new ArrayList<>();
        theirs.rdma.receive(
                receive -> {
                    assertSucceeds(
                            ours, ours.peer.allocRead(ours.remoteData(128, 4), ours.room(0, 4)));
                    assertSucceeds(
                            ours, ours.peer.allocWrite(ours.dataAt(0, 4), ours.remoteRoom(256, 4)));
                    assertSucceeds(
                            ours,
                            ours.peer.allocAtomicFetchAdd(
                                    ours.remoteRoom(512, 8), ours.room(64, 8), 1));
                    read.add(ours.bytes(0, 4));
                },
                receive -> {},
                1);
        connect();
        posted(null);
        assertSucceeds(ours, ours.peer.allocSend(null));
        theirs.progressUntil(() -> !read.isEmpty());
        assertThat(read.getFirst()).isEqualTo(theirs.bytes(128, 4));
        assertThat(theirs.engine.callbackFailures()).isZero();
    }
}
