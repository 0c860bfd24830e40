package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Ctx;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The life of a context with one connection, on every provider.
abstract class RdmaContextContract extends RdmaPairContract {
    @Test
    @Requirement("DCORE-CTX-1")
    void theStatesHaveTheirNumbers() {
        assertThat(CtxState.values())
                .containsExactly(
                        CtxState.IDLE, CtxState.STARTING, CtxState.RUNNING, CtxState.STOPPING);
    }

    @Test
    @Requirement({"DCORE-CTX-2", "DCORE-CTX-3", "DCORE-CTX-13", "DRDMA-EVT-1"})
    void everyTransitionIsToldOnceAndInOrder() {
        List<String> told = new ArrayList<>();
        Object userData = new Object();
        ours.rdma
                .onStateChange((ctx, previous, next) -> {
                    assertThat(ctx.state()).isSameAs(next);
                    assertThat(ctx.userData()).isSameAs(userData);
                    told.add(previous + " " + next);
                })
                .userData(userData);
        assertThat(ours.rdma.start()).isEqualTo(CtxState.STARTING);
        assertThat(told).containsExactly("IDLE STARTING");
        theirs.rdma.start();
        ours.rdma.export().connect(theirs.rdma.export().details());
        assertThat(ours.rdma.state()).isEqualTo(CtxState.STARTING);
        ours.progressUntil(() -> ours.rdma.state() == CtxState.RUNNING);
        assertThat(ours.rdma.stop()).isEqualTo(CtxState.IDLE);
        assertThat(told)
                .containsExactly(
                        "IDLE STARTING", "STARTING RUNNING", "RUNNING STOPPING", "STOPPING IDLE");
        assertThat(ours.engine.callbackFailures()).isZero();
    }

    @Test
    @Requirement({"DCORE-CTX-2", "DCORE-CTX-7", "DCORE-CTX-11"})
    void itStopsBeforeItIsConnected() {
        assertThat(ours.rdma.stop()).isEqualTo(CtxState.IDLE);
        assertThat(ours.states).isEmpty();
        ours.rdma.start();
        assertThat(ours.rdma.stop()).isEqualTo(CtxState.IDLE);
        assertThat(ours.states)
                .containsExactly(CtxState.STARTING, CtxState.STOPPING, CtxState.IDLE);
        assertThat(ours.rdma.stopCause()).isEmpty();
    }

    @Test
    @Requirement({"DCORE-CTX-2", "DCORE-CTX-3"})
    void withManyConnectionsItRunsAtOnce() {
        assertThat(ours.rdma.connectionMode(ConnectionMode.OPEN).start())
                .isEqualTo(CtxState.RUNNING);
        assertThat(ours.states).containsExactly(CtxState.RUNNING);
    }

    @Test
    @Requirement("DCORE-CTX-4")
    void itNeedsAProgressEngine() {
        try (Rdma alone = new Rdma(ours.dev)) {
            assertRefused(DocaError.NOT_CONNECTED, alone::start, "progress engine");
            assertThat(alone.state()).isEqualTo(CtxState.IDLE);
        }
    }

    @Test
    @Requirement("DCORE-CTX-4")
    void itStartsFromIdleOnly() {
        ours.rdma.start();
        assertRefused(DocaError.BAD_STATE, ours.rdma::start, "STARTING");
        assertThat(ours.rdma.state()).isEqualTo(CtxState.STARTING);
        ours.rdma.stop();
        connect();
        assertRefused(DocaError.BAD_STATE, ours.rdma::start, "RUNNING");
    }

    static Stream<Consumer<Rdma>> configurations() {
        Consumer<RdmaTask> callback = task -> {};
        return Stream.of(
                rdma -> rdma.sendQueueSize(4),
                rdma -> rdma.recvQueueSize(4),
                rdma -> rdma.maxSendBufListLen(2),
                rdma -> rdma.receiveDstBufListLen(2),
                rdma -> rdma.permissions(AccessFlag.RDMA_READ),
                rdma -> rdma.mtu(1024),
                rdma -> rdma.transportType(TransportType.RC),
                rdma -> rdma.grhEnabled(true),
                rdma -> rdma.gidIndex(0),
                rdma -> rdma.serviceLevel(1),
                rdma -> rdma.connectionRequestTimeout(Duration.ofSeconds(1)),
                rdma -> rdma.rnrRetryCount(1),
                rdma -> rdma.retryCount(1),
                rdma -> rdma.timeoutCode(10),
                rdma -> rdma.maxNumConnections(2),
                rdma -> rdma.connectionMode(ConnectionMode.OPEN),
                rdma -> rdma.receive(callback, callback, 1),
                rdma -> rdma.send(callback, callback, 1),
                rdma -> rdma.sendImm(callback, callback, 1),
                rdma -> rdma.read(callback, callback, 1),
                rdma -> rdma.write(callback, callback, 1),
                rdma -> rdma.writeImm(callback, callback, 1),
                rdma -> rdma.atomicCmpSwp(callback, callback, 1),
                rdma -> rdma.atomicFetchAdd(callback, callback, 1),
                rdma -> rdma.onStateChange((ctx, previous, next) -> {}),
                rdma -> rdma.attach(ProgressEngine.create()));
    }

    @ParameterizedTest
    @MethodSource("configurations")
    @Requirement({"DCORE-CTX-5", "DFLT-54", "DCORE-CTX-12", "DRDMA-CONF-2"})
    void itIsConfiguredWhenIdle(Consumer<Rdma> configuration) {
        ours.rdma.start();
        assertRefused(DocaError.BAD_STATE, () -> configuration.accept(ours.rdma), "STARTING");
        ours.rdma.stop();
        connect();
        assertRefused(DocaError.BAD_STATE, () -> configuration.accept(ours.rdma), "RUNNING");
        posted(null);
        theirs.rdma.stop();
        assertRefused(DocaError.BAD_STATE, () -> configuration.accept(theirs.rdma), "STOPPING");
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    @Requirement({"DCORE-CTX-6", "DCORE-CTX-10", "DFLT-29"})
    void tasksAreForRunning() {
        RdmaConnection[] peer = new RdmaConnection[1];
        ours.rdma.start();
        peer[0] = ours.rdma.export();
        assertRefused(DocaError.BAD_STATE, () -> peer[0].allocSend(null), "STARTING");
        ours.rdma.stop();
        assertRefused(DocaError.BAD_STATE, () -> ours.rdma.allocReceive(null), "IDLE");
        connect();
        SendTask task = ours.peer.allocSend(null);
        assertThat(ours.rdma.stop()).isEqualTo(CtxState.STOPPING);
        assertThat(task.submit()).isEqualTo(DocaError.BAD_STATE);
        assertThat(task.trySubmit()).isEqualTo(DocaError.BAD_STATE);
        assertRefused(DocaError.BAD_STATE, () -> ours.peer.allocSend(null), "STOPPING");
        assertRefused(DocaError.BAD_STATE, () -> ours.rdma.allocReceive(null), "STOPPING");
        task.free();
    }

    /// Five sends that find no receive, and five receives, all in flight.
    private List<RdmaTask> tenInFlight() {
        ours.rdma.rnrRetryCount(7);
        connect();
        List<RdmaTask> tasks = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tasks.add(ours.peer.allocSend(ours.dataAt(0, 8)));
            tasks.add(ours.rdma.allocReceive(ours.room(64, 8)));
        }
        tasks.forEach(RdmaTask::submitOrThrow);
        return tasks;
    }

    @Test
    @Requirement({"DCORE-CTX-8", "DFLT-34", "DRDMA-FAIL-4"})
    void whatIsInFlightWhenItStopsIsFlushed() {
        List<RdmaTask> tasks = tenInFlight();
        ours.rdma.stop();
        assertThat(ours.done).as("callbacks in stop").isEmpty();

        ours.progressUntil(() -> ours.rdma.inFlightTasks() == 0);
        ours.engine.progress();
        assertThat(ours.done).containsExactlyInAnyOrderElementsOf(tasks);
        FailureCause cause = FailureCause.Transport.of(CompletionStatus.WORK_REQUEST_FLUSHED);
        for (RdmaTask task : tasks) {
            assertThat(task.status()).isEqualTo(DocaError.BAD_STATE);
            assertThat(task.failure()).contains(cause);
        }
        assertThat(ours.rdma.stopCause()).isEmpty();
    }

    @Test
    @Requirement({"DCORE-CTX-7", "DCORE-CTX-9", "DCORE-CTX-11", "DFLT-35"})
    void itIsIdleOnceAllItsTasksAreFreed() {
        List<RdmaTask> tasks = tenInFlight();
        assertThat(ours.rdma.stop()).isEqualTo(CtxState.STOPPING);
        assertThat(ours.rdma.stop()).as("again").isEqualTo(CtxState.STOPPING);
        ours.progressUntil(() -> ours.rdma.inFlightTasks() == 0);
        tasks.subList(0, 9).forEach(RdmaTask::free);
        ours.engine.progress();
        assertThat(ours.rdma.state()).as("with a task to free").isEqualTo(CtxState.STOPPING);
        tasks.getLast().free();
        assertThat(ours.engine.progress()).isTrue();
        assertThat(ours.rdma.state()).isEqualTo(CtxState.IDLE);
        assertThat(ours.rdma.stop()).as("when idle").isEqualTo(CtxState.IDLE);
    }

    @Test
    @Requirement({"DCORE-CTX-16", "DCORE-PE-9"})
    void tasksInFlightAreThoseSubmittedAndNotCalledBack() {
        tenInFlight();
        assertThat(ours.rdma.inFlightTasks()).isEqualTo(10);
        assertThat(ours.engine.inFlightTasks()).isEqualTo(10);
        posted(theirs.room(0, 8));
        ours.next();
        assertThat(ours.rdma.inFlightTasks()).isEqualTo(9);
        assertThat(ours.engine.inFlightTasks()).isEqualTo(9);
    }

    @Test
    @Requirement({"DCORE-CTX-8", "DFLT-34"})
    void whatHasCompletedWhenItStopsKeepsItsOutcome() {
        connect();
        ReceiveTask receive = posted(theirs.room(0, 8));
        SendTask send = ours.peer.allocSend(ours.dataAt(0, 8));
        assertSucceeds(ours, send);
        theirs.rdma.stop();
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.bytes(0, 8)).isEqualTo(ours.bytes(0, 8));
    }

    @Test
    @Requirement({"DCORE-CTX-7", "DCORE-CTX-10", "DCORE-CTX-14"})
    void itCanBeStoppedInACallback() {
        List<Object> answers = new ArrayList<>();
        ours.rdma.send(
                task -> {
                    answers.add(ours.rdma.stop());
                    answers.add(task.submit());
                    task.free();
                },
                task -> {},
                1);
        connect();
        posted(null);
        ours.peer.allocSend(null).submitOrThrow();
        ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
        assertThat(answers).containsExactly(CtxState.STOPPING, DocaError.BAD_STATE);
    }

    @Test
    @Requirement("DCORE-CTX-14")
    void itCanBeStoppedInEachChangeOfState() {
        for (CtxState when : CtxState.values()) {
            List<CtxState> answers = new ArrayList<>();
            List<CtxState> states = new ArrayList<>();
            ours.rdma.onStateChange((ctx, previous, next) -> {
                states.add(next);
                if (next == when) {
                    answers.add(ctx.stop());
                }
            });
            theirs.rdma.start();
            ours.rdma.start();
            if (when != CtxState.STARTING) {
                ours.rdma.export().connect(theirs.rdma.export().details());
                ours.engine.progress();
                ours.rdma.stop();
            }
            ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
            assertThat(answers).as("stop in %s", when).hasSize(1);
            assertThat(states).doesNotHaveDuplicates().endsWith(CtxState.STOPPING, CtxState.IDLE);
            theirs.rdma.stop();
        }
        assertThat(ours.engine.callbackFailures()).isZero();
    }

    @Test
    @Requirement({"DCORE-CTX-12", "DRDMA-CONN-8", "DRDMA-FAIL-5", "DFLT-61", "DCORE-CTX-15"})
    void afterAFatalErrorItStartsAgain() {
        connect();
        RequestTask failing = ours.peer.allocSend(ours.dataAt(0, 4));
        ReceiveTask tooShort = posted(null);
        ours.run(failing);
        assertFatal(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, failing);
        assertThat(ours.rdma.rdmaState()).isEqualTo(RdmaState.ERROR);
        failing.free();
        ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
        assertThat(theirs.next()).isSameAs(tooShort);
        tooShort.free();
        theirs.progressUntil(() -> theirs.rdma.state() == CtxState.IDLE);

        ours.remote.close();
        theirs.remote.close();
        ours.rdma.maxSendBufListLen(1);
        connect();

        assertThat(ours.rdma.stopCause()).isEqualTo(Optional.empty());
        assertConnected();
    }

    @Test
    @Requirement("DCORE-CTX-17b")
    void flushingIsForAllStatesButIdle() {
        assertRefused(DocaError.BAD_STATE, ours.rdma::flushTasks, "idle");
        ours.rdma.start();
        assertThat(ours.rdma.state()).isEqualTo(CtxState.STARTING);
        ours.rdma.flushTasks();
        ours.rdma.stop();
        connect();
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
        ours.rdma.flushTasks();
        SendTask held = ours.peer.allocSend(null);
        assertThat(ours.rdma.stop()).isEqualTo(CtxState.STOPPING);
        ours.rdma.flushTasks();
        held.free();
        ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
        assertRefused(DocaError.BAD_STATE, ours.rdma::flushTasks, "idle");
    }

    @Test
    @Requirement({"DCORE-CTX-18", "DCORE-TASK-18", "DRDMA-COM-21", "DJAVA-RDMA-4"})
    void userDataReachesEveryCallback() {
        Object ofContext = new Object();
        Object ofTask = new Object();
        List<Object> seen = new ArrayList<>();
        Consumer<RdmaTask> look =
                task -> {
                    seen.add(task.ctx().userData());
                    seen.add(task.userData());
                    seen.add(task.userNumber());
                };
        ours.rdma.send(look, look, 2).userData(ofContext);
        connect();
        posted(null);
        for (SendTask task :
                List.of(ours.peer.allocSend(null), ours.peer.allocSend(ours.datas(5, 0, 1)))) {
            task.userData(ofTask);
            task.userNumber(Long.MIN_VALUE);
            assertThat(task.submit()).isEqualTo(DocaError.SUCCESS);
        }
        ours.progressUntil(() -> seen.size() == 6);
        assertThat(seen)
                .containsExactly(
                        ofContext, ofTask, Long.MIN_VALUE, ofContext, ofTask, Long.MIN_VALUE);
    }

    @Test
    @Requirement({"DCORE-CTX-18", "DRDMA-COM-21"})
    void userDataComesBackAsTheTypeItHas() {
        Rdma same = ours.rdma.userData("of the context").onStateChange((_, _, _) -> {});
        assertThat(same).isSameAs(ours.rdma);
        connect();
        SendTask task = ours.peer.allocSend();
        assertThat(task.userDataAs(String.class)).isNull();
        task.userData(7);
        ours.peer.userData(8L);

        int ofTask = task.userDataAs(Integer.class);
        long ofConnection = ours.peer.userDataAs(Long.class);

        assertThat(ofTask).isEqualTo(7);
        assertThat(ofConnection).isEqualTo(8);
        assertThat(ours.rdma.userDataAs(String.class)).isEqualTo("of the context");
        assertThatExceptionOfType(ClassCastException.class)
                .isThrownBy(() -> task.userDataAs(String.class));
    }

    @Test
    void inACallbackItCannotBeClosed() {
        List<Throwable> thrown = new ArrayList<>();
        ours.rdma.send(
                task -> {
                    try {
                        ours.rdma.close();
                    } catch (RuntimeException e) {
                        thrown.add(e);
                    }
                },
                task -> {},
                1);
        connect();
        posted(null);
        ours.peer.allocSend(null).submitOrThrow();
        ours.progressUntil(() -> !thrown.isEmpty());
        assertRefused(
                DocaError.BAD_STATE,
                () -> {
                    throw thrown.getFirst();
                },
                "stop it first");
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
        assertThat(ours.engine.callbackFailures()).isZero();
    }

    @Test
    @Requirement({"DJAVA-RDMA-5a", "DJAVA-RDMA-5c", "DCORE-CTX-9"})
    void closingFreesWhatTheUserHolds() {
        connect();
        ReceiveTask inFlight = posted(null);
        ReceiveTask held = theirs.rdma.allocReceive(null);
        Ctx ctx = theirs.rdma;
        ctx.close();
        ctx.close();
        assertThat(ctx.state()).isEqualTo(CtxState.IDLE);
        assertThat(theirs.states)
                .as("stopped and progressed to its end")
                .endsWith(CtxState.STOPPING, CtxState.IDLE);
        assertThat(theirs.done).as("called back before it was freed").containsExactly(inFlight);
        assertRefused(DocaError.BAD_STATE, held::submit, "freed");
        assertRefused(DocaError.BAD_STATE, inFlight::status, "freed");
        assertRefused(DocaError.BAD_STATE, ctx::start, "closed");
        theirs.engine.close(); // its tie to the engine has ended
    }

    @Test
    @Requirement("DJAVA-RDMA-5b")
    void closingReportsEachTaskThatTheUserForgot() {
        connect();
        posted(null);
        theirs.rdma.allocReceive(null);
        ours.peer.allocSend(null).free();
        List<String> warnings = new ArrayList<>();
        Handler handler = new Warnings(warnings);
        Logger log = Logger.getLogger(Ctx.class.getName());
        log.addHandler(handler);
        try {
            ours.rdma.close();
            assertThat(warnings).as("of one who freed everything").isEmpty();
            theirs.rdma.close();
        } finally {
            log.removeHandler(handler);
        }
        assertThat(warnings)
                .hasSize(2)
                .allMatch(warning -> warning.contains("closed before receive"))
                .allMatch(warning -> warning.endsWith("was freed"));
    }

    /// Notes what is logged.
    private static final class Warnings extends Handler {
        private final List<String> texts;

        Warnings(List<String> texts) {
            this.texts = texts;
        }

        @Override
        public void publish(LogRecord logged) {
            texts.add(MessageFormat.format(logged.getMessage(), logged.getParameters()));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    @Requirement({"DRDMA-CREATE-1", "DRDMA-CREATE-4"})
    void itsDeviceOutlivesIt() {
        DocaDev dev = DocaDev.open(device());
        Rdma rdma = new Rdma(dev);
        assertThat(rdma.device()).isSameAs(dev);
        assertRefused(DocaError.IN_USE, dev::close);
        rdma.close();
        dev.close();
    }

    @Test
    @Requirement("DCORE-CTX-7")
    void drainingSaysWhatIsMissing() {
        connect();
        SendTask held = ours.peer.allocSend(null);
        assertRefused(
                DocaError.TIME_OUT,
                () -> ours.rdma.stopAndDrain(Duration.ofMillis(1)),
                "1 more are not freed");
        held.free();
        ours.rdma.stopAndDrain(Duration.ofSeconds(60));
        assertThat(ours.rdma.state()).isEqualTo(CtxState.IDLE);
    }
}
