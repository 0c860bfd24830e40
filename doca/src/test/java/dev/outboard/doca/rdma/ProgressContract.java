package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.EventMode;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A progress engine with several contexts, on every provider.
abstract class ProgressContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MANY = 40;

    private End near;
    private End far;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void open() {
        near = new End(device());
        far = new End(device());
    }

    @AfterEach
    void close() {
        near.close();
        far.close();
    }

    /// A device with one engine for two contexts.
    private static final class End implements AutoCloseable {
        final DocaDev dev;
        final ProgressEngine engine = ProgressEngine.create();
        final List<Rdma> contexts = new ArrayList<>();

        /// The immediates received, with the context that received each.
        final List<String> heard = new ArrayList<>();

        int sent;
        Runnable whenHeard = () -> {};

        End(DocaDevInfo info) {
            dev = DocaDev.open(info);
            contexts.add(context("busy"));
            contexts.add(context("quiet"));
        }

        private Rdma context(String name) {
            Rdma rdma =
                    new Rdma(dev)
                            .receive(task -> received(name, task), RdmaTask::free, MANY)
                            .sendImm(this::sent, RdmaTask::free, MANY)
                            .attach(engine);
            rdma.start();
            return rdma;
        }

        private void received(String name, ReceiveTask task) {
            heard.add(name + " " + task.immediateHost());
            task.free();
            whenHeard.run();
        }

        private void sent(SendImmTask task) {
            sent++;
            task.free();
        }

        void awaitRunning() {
            engine.progressUntil(
                    () -> contexts.stream().allMatch(c -> c.state() == CtxState.RUNNING), PATIENCE);
        }

        void receive(int context, int count) {
            for (int i = 0; i < count; i++) {
                contexts.get(context).allocReceive(null).submitOrThrow();
            }
        }

        void send(int context, int count) {
            RdmaConnection peer = contexts.get(context).export();
            for (int i = 0; i < count; i++) {
                peer.allocSendImm(null, Be32.ofHost(i)).submitOrThrow();
            }
        }

        @Override
        public void close() {
            contexts.forEach(Rdma::close);
            engine.close();
            dev.close();
        }
    }

    private void connect() {
        for (int i = 0; i < 2; i++) {
            RdmaConnection one = near.contexts.get(i).export();
            RdmaConnection other = far.contexts.get(i).export();
            one.connect(other.details());
            other.connect(one.details());
        }
        near.awaitRunning();
        far.awaitRunning();
    }

    /// All messages are there when their sends have succeeded.
    private void deliver(int busy, int quiet) {
        near.receive(0, busy);
        near.receive(1, quiet);
        far.send(0, busy);
        far.send(1, quiet);
        far.engine.progressUntil(() -> far.sent == busy + quiet, PATIENCE);
    }

    @Test
    @Requirement({"DCORE-PE-7", "DCORE-PE-14"})
    void aBusyContextLetsTheOthersHaveTheirTurn() {
        connect();
        deliver(MANY, 1);

        assertThat(near.engine.progress()).isTrue();

        assertThat(near.heard).contains("quiet 0").hasSizeLessThan(MANY);
        near.engine.progressUntil(() -> near.heard.size() == MANY + 1, PATIENCE);
        List<String> busy = near.heard.stream().filter(text -> text.startsWith("busy")).toList();
        for (int i = 0; i < MANY; i++) {
            assertThat(busy.get(i)).isEqualTo("busy " + i);
        }
    }

    @Test
    @Requirement("DCORE-PE-14")
    void oneCallDeliversAsMuchAsItIsTold() {
        connect();
        deliver(MANY, 1);

        assertThat(near.engine.progress(5)).isEqualTo(5);
        assertThat(near.heard).hasSize(5);
        assertThat(near.engine.progress(2 * MANY)).isEqualTo(MANY + 1 - 5);
        assertThat(near.engine.progress(1)).isZero();
    }

    /// Waits for a message to one context, and lets one to the other come before it progresses.
    private void awaitOneMessageAndDeliverAnother(EventMode mode) throws InterruptedException {
        near.engine.eventMode(mode);
        near.receive(0, 1);
        near.receive(1, 1);
        while (near.engine.await(Duration.ofMillis(1))) {
            near.engine.progress();
        }
        far.send(0, 1);
        assertThat(near.engine.await(PATIENCE)).isTrue();
        far.send(1, 1);
        far.engine.progressUntil(() -> far.sent == 2, PATIENCE);
    }

    @Test
    @Requirement("DCORE-PE-13")
    void aSelectiveEngineProgressesWhatHadWorkWhenTheWaitEnded() throws Exception {
        connect();
        awaitOneMessageAndDeliverAnother(EventMode.SELECTIVE);
        assertThat(near.engine.progress()).isTrue();
        assertThat(near.heard).containsExactly("busy 0");
        assertThat(near.engine.await(PATIENCE)).isTrue();
        assertThat(near.engine.progress()).isTrue();
        assertThat(near.heard).containsExactly("busy 0", "quiet 0");
    }

    @Test
    @Requirement("DCORE-PE-13")
    void withoutSelectionEveryContextIsProgressed() throws Exception {
        connect();
        awaitOneMessageAndDeliverAnother(EventMode.ALL);
        assertThat(near.engine.progress()).isTrue();
        assertThat(near.heard).containsExactlyInAnyOrder("busy 0", "quiet 0");
    }

    @Test
    @Requirement("DCORE-PE-7")
    void aSelectionHoldsForOneTurnSoThatNobodyIsStarved() throws Exception {
        connect();
        awaitOneMessageAndDeliverAnother(EventMode.SELECTIVE);
        near.engine.progress();
        near.engine.progress();
        assertThat(near.heard).containsExactly("busy 0", "quiet 0");
    }

    @Test
    @Requirement("DCORE-PE-13")
    void theEventModeChangesAtAnyTimeButInACallback() {
        connect();
        assertThat(near.engine.eventMode()).isEqualTo(EventMode.ALL);
        near.engine.eventMode(EventMode.SELECTIVE);
        near.whenHeard =
                () -> {
                    assertRefused(DocaError.BAD_STATE, () -> near.engine.eventMode(EventMode.ALL));
                    near.heard.add("refused");
                };
        deliver(1, 0);
        near.engine.progressUntil(() -> near.heard.contains("refused"), PATIENCE);
        assertThat(near.engine.eventMode()).isEqualTo(EventMode.SELECTIVE);
        near.engine.eventMode(EventMode.ALL);
        assertThat(near.engine.eventMode()).isEqualTo(EventMode.ALL);
    }

    @Test
    @Requirement("DCORE-PE-3")
    void progressTellsWhetherAnythingHappened() {
        assertThat(near.engine.progress()).as("before there is a connection").isFalse();
        RdmaConnection one = near.contexts.getFirst().export();
        one.connect(far.contexts.getFirst().export().details());
        assertThat(near.engine.progress()).as("becomes running").isTrue();
        assertThat(near.contexts.getFirst().state()).isEqualTo(CtxState.RUNNING);
        assertThat(near.engine.progress()).as("nothing in flight").isFalse();
    }

    @Test
    @Requirement("DCORE-PE-9")
    void tasksInFlightOfAllContextsAreCounted() {
        connect();
        near.receive(0, 3);
        near.receive(1, 2);
        assertThat(near.engine.inFlightTasks()).isEqualTo(5);
        far.send(0, 1);
        near.engine.progressUntil(() -> near.heard.size() == 1, PATIENCE);
        assertThat(near.engine.inFlightTasks()).isEqualTo(4);
    }

    @Test
    @Requirement({"DCORE-PE-1", "DCORE-PE-2", "DCORE-PE-8"})
    void aContextIsTiedToOneEngineUntilItIsClosed() {
        try (ProgressEngine other = ProgressEngine.create();
                Rdma idle = new Rdma(near.dev).attach(near.engine)) {
            assertRefused(DocaError.NOT_PERMITTED, () -> idle.attach(near.engine));
            assertRefused(DocaError.NOT_PERMITTED, () -> idle.attach(other));
            assertRefused(DocaError.BAD_STATE, () -> near.contexts.getFirst().attach(near.engine));
            near.contexts.forEach(Rdma::stop);
            assertRefused(DocaError.IN_USE, near.engine::close);
            near.contexts.forEach(Rdma::close);
            assertRefused(DocaError.IN_USE, near.engine::close);
        }
        near.engine.close();
    }
}
