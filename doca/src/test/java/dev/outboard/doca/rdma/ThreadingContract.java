package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.ProgressDriver;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.ThreadMode;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Which threads may use a context, and how they wait, on every provider.
abstract class ThreadingContract {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int THREADS = 4;
    private static final int TASKS_EACH = 8;
    private static final int SENDS_EACH = 500;
    private static final int RECEIVES = 2 * THREADS * TASKS_EACH;

    /// The tasks that each thread may submit.
    private final List<BlockingQueue<SendImmTask>> free = new ArrayList<>();

    private final List<Integer> heard = new ArrayList<>();
    private final List<Thread> callers = new ArrayList<>();
    private DocaDev dev;
    private ProgressEngine engine;
    private Rdma rdma;
    private RdmaConnection sender;

    /// A device that reaches itself.
    abstract DocaDevInfo device();

    /// A context that sends to itself.
    private void open(ThreadMode mode) {
        dev = DocaDev.open(device());
        engine = ProgressEngine.create(mode);
        rdma =
                new Rdma(dev)
                        .receive(this::received, RdmaTask::free, RECEIVES)
                        .sendImm(this::sent, RdmaTask::free, THREADS * TASKS_EACH)
                        .rnrRetryCount(7)
                        .maxNumConnections(2)
                        .attach(engine);
        rdma.start();
    }

    private void connect(int receives) {
        sender = rdma.export();
        RdmaConnection receiver = rdma.export();
        sender.connect(receiver.details());
        receiver.connect(sender.details());
        for (int i = 0; i < receives; i++) {
            assertThat(rdma.allocReceive(null).submit()).isEqualTo(DocaError.SUCCESS);
        }
        for (int thread = 0; thread < THREADS; thread++) {
            free.add(new ArrayBlockingQueue<>(TASKS_EACH));
            for (int i = 0; i < TASKS_EACH; i++) {
                SendImmTask task = sender.allocSendImm(null, Be32.ofHost(0));
                task.userNumber(thread);
                free.get(thread).add(task);
            }
        }
    }

    private void received(ReceiveTask task) {
        callers.add(Thread.currentThread());
        heard.add(task.immediateHost());
        if (rdma.state() != CtxState.RUNNING || task.submit() != DocaError.SUCCESS) {
            task.free();
        }
    }

    private void sent(SendImmTask task) {
        callers.add(Thread.currentThread());
        free.get((int) task.userNumber()).add(task);
    }

    private void send(int thread, int number) throws InterruptedException {
        SendImmTask task = free.get(thread).poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(task).isNotNull();
        task.immediate(Be32.ofHost(thread << 16 | number));
        assertThat(task.submit()).isEqualTo(DocaError.SUCCESS);
    }

    private void freeSends() {
        free.forEach(tasks -> tasks.forEach(RdmaTask::free));
    }

    @AfterEach
    void close() {
        rdma.close();
        engine.close();
        dev.close();
    }

    @Test
    @Requirement({"DCORE-THR-3", "DCORE-THR-4", "DCORE-PE-4"})
    void threadsSubmitWhileAnotherProgresses() throws Exception {
        open(ThreadMode.SHARED);
        connect(RECEIVES);
        ProgressDriver driver = ProgressDriver.start(engine, ProgressDriver.Idle.HYBRID);
        List<FutureTask<Boolean>> senders = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int number = thread;
            senders.add(
                    run(() -> {
                        for (int i = 0; i < SENDS_EACH; i++) {
                            send(number, i);
                        }
                        return true;
                    }));
        }
        for (FutureTask<Boolean> each : senders) {
            assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        Eventually.until(() -> rdma.inFlightTasks() == RECEIVES);
        freeSends();

        driver.close();

        assertThat(rdma.state()).isEqualTo(CtxState.IDLE);
        assertThat(heard).hasSize(THREADS * SENDS_EACH).doesNotHaveDuplicates();
        for (int thread = 0; thread < THREADS; thread++) {
            int number = thread;
            assertThat(heard.stream().filter(each -> each >> 16 == number)).isSorted();
        }
        assertThat(callers).hasSize(2 * THREADS * SENDS_EACH);
        assertThat(callers.stream().distinct()).hasSize(1).doesNotContain(Thread.currentThread());
    }

    private interface Work {
        boolean run() throws Exception;
    }

    private static FutureTask<Boolean> run(Work work) {
        FutureTask<Boolean> task = new FutureTask<>(work::run);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static void onAnotherThread(Work work) throws Exception {
        assertThat(run(work).get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aDriverTakesOverAConfinedEngineAndStopsItsContexts() {
        open(ThreadMode.CONFINED);
        connect(0);
        freeSends();

        ProgressDriver.start(engine, ProgressDriver.Idle.SLEEP).close();

        assertThat(rdma.state()).isEqualTo(CtxState.IDLE);
        assertThat(engine.progress()).as("belongs to nobody, so to me").isFalse();
    }

    @Test
    @Requirement({"DCORE-THR-1", "DCORE-THR-2", "DFLT-39"})
    void aConfinedEngineRefusesAnotherThreadUntilThatTakesOver() throws Exception {
        open(ThreadMode.CONFINED);
        connect(0);
        engine.progress();
        SendImmTask task = free.getFirst().remove();

        onAnotherThread(() -> {
            assertRefused(DocaError.BAD_STATE, engine::progress);
            assertRefused(DocaError.BAD_STATE, task::submit);
            assertRefused(DocaError.BAD_STATE, task::trySubmit);
            assertRefused(DocaError.BAD_STATE, rdma::stop);
            assertRefused(DocaError.BAD_STATE, rdma::export);
            assertRefused(DocaError.BAD_STATE, sender::disconnect);
            return true;
        });
        assertThat(rdma.inFlightTasks()).isZero();
        assertThat(rdma.state()).isEqualTo(CtxState.RUNNING);

        ReceiveTask receive = rdma.allocReceive(null);
        receive.submitOrThrow();
        onAnotherThread(() -> {
            assertRefused(DocaError.IN_USE, engine::rebind);
            return true;
        });
        task.submitOrThrow();
        while (heard.isEmpty() || free.getFirst().size() < TASKS_EACH) {
            engine.progress();
        }
    }

    @Test
    @Requirement("DCORE-THR-2")
    void aConfinedEngineBelongsToTheThreadThatProgressesFirst() throws Exception {
        open(ThreadMode.CONFINED);
        connect(0);
        onAnotherThread(() -> {
            engine.progress();
            return true;
        });
        assertRefused(DocaError.BAD_STATE, engine::progress);
        assertRefused(DocaError.BAD_STATE, rdma::export);
        engine.rebind();
    }

    @Test
    @Requirement("DCORE-THR-2")
    void aConfinedEngineBelongsToTheThreadThatSubmitsFirst() throws Exception {
        open(ThreadMode.CONFINED);
        connect(0);
        freeSends();
        CountDownLatch submitted = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        FutureTask<Boolean> first =
                run(() -> {
                    rdma.allocReceive(null).submitOrThrow();
                    submitted.countDown();
                    boolean inTime = refused.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    rdma.stopAndDrain(PATIENCE);
                    return inTime;
                });
        submitted.await();
        assertRefused(DocaError.BAD_STATE, engine::progress);
        refused.countDown();
        assertThat(first.get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        engine.rebind();
    }

    @Test
    @Requirement({"DCORE-PE-10", "DCORE-PE-11"})
    void noWakeUpIsLost() throws Exception {
        open(ThreadMode.CONFINED);
        connect(RECEIVES);
        for (int i = 0; i < 300; i++) {
            send(0, i);
            while (heard.size() <= i) {
                if (!engine.progress()) {
                    assertThat(engine.await(PATIENCE)).isTrue();
                }
            }
        }
    }

    @Test
    @Requirement({"DJAVA-PE-4", "DCORE-PE-12b"})
    void aVirtualThreadParksUntilThereIsWork() throws Exception {
        open(ThreadMode.SHARED);
        connect(1);
        Thread waiting =
                Thread.ofVirtual()
                        .start(() -> {
                            while (heard.isEmpty()) {
                                progressOrAwait();
                            }
                        });
        Eventually.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

        send(0, 7);

        assertThat(waiting.join(PATIENCE)).isTrue();
        assertThat(heard).containsExactly(7);
    }

    private void progressOrAwait() {
        try {
            if (!engine.progress()) {
                engine.await(PATIENCE);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Requirement({"DJAVA-PE-4", "DCORE-PE-12b"})
    void aWaitCanBeInterruptedAndLimited() throws Exception {
        open(ThreadMode.SHARED);
        assertThat(engine.await(Duration.ofMillis(1))).isFalse();
        FutureTask<Boolean> interrupted =
                new FutureTask<>(() -> {
                    assertThatExceptionOfType(InterruptedException.class)
                            .isThrownBy(() -> engine.await(PATIENCE));
                    return true;
                });
        Thread waiting = Thread.ofVirtual().start(interrupted);
        Eventually.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

        assertRefused(DocaError.BAD_STATE, () -> awaitHere());
        waiting.interrupt();

        assertThat(interrupted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private void awaitHere() {
        try {
            engine.await(PATIENCE);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void stoppingEndsTheWaitOfAnotherThread() throws Exception {
        open(ThreadMode.SHARED);
        FutureTask<Boolean> woken = new FutureTask<>(() -> engine.await(Duration.ofHours(1)));
        Thread waiting = Thread.ofVirtual().start(woken);
        Eventually.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

        rdma.stop();

        assertThat(woken.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
}
