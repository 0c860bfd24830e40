package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.ProgressDriver;
import dev.outboard.doca.ProgressDriver.Idle;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.ThreadMode;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/// A thread that progresses for the application, on every provider.
@Requirement("DJAVA-PE-2")
abstract class ProgressDriverContract {
    private static final int MESSAGES = 100;
    private static final int LOOKS = 200;
    private static final long WORK_NANOS = 50_000_000;

    private final List<ReceiveTask> received = new CopyOnWriteArrayList<>();
    private final List<Thread> callers = new CopyOnWriteArrayList<>();
    private final ProgressEngine engine = ProgressEngine.create(ThreadMode.SHARED);
    private DocaDev dev;
    private Rdma rdma;
    private RdmaConnection peer;
    private volatile Runnable whenReceived = () -> {};

    /// A device that reaches itself.
    abstract DocaDevInfo device();

    @BeforeEach
    void open() {
        dev = DocaDev.open(device());
        rdma =
                new Rdma(dev)
                        .receive(this::received, this::received, MESSAGES)
                        .sendImm(RdmaTask::free, RdmaTask::free, MESSAGES)
                        .maxNumConnections(2)
                        .attach(engine);
        rdma.start();
        peer = rdma.export();
        RdmaConnection itself = rdma.export();
        peer.connect(itself.details());
        itself.connect(peer.details());
    }

    @AfterEach
    void close() {
        rdma.close();
        engine.close();
        dev.close();
    }

    private void received(ReceiveTask task) {
        callers.add(Thread.currentThread());
        whenReceived.run();
        received.add(task);
    }

    private void exchange(int messages) {
        int before = received.size();
        for (int i = 0; i < messages; i++) {
            rdma.allocReceive(null).submitOrThrow();
        }
        for (int i = 0; i < messages; i++) {
            peer.allocSendImm(null, Be32.ofHost(i)).submitOrThrow();
        }
        Eventually.until(() -> received.size() == before + messages);
    }

    private Thread thread() {
        exchange(1);
        received.removeLast().free();
        return callers.getLast();
    }

    private static boolean sleeps(Thread driver) {
        return Stream.of(driver.getStackTrace())
                .anyMatch(frame ->
                        frame.getClassName().equals(ProgressEngine.class.getName())
                                && frame.getMethodName().equals("await"));
    }

    @ParameterizedTest
    @EnumSource
    void allCallbacksRunOnItsThreadUntilItIsClosed(Idle idle) {
        ProgressDriver driver = ProgressDriver.start(engine, idle);
        Thread thread = thread();
        exchange(MESSAGES - 1);
        rdma.allocReceive(null).submitOrThrow();

        driver.close();

        assertThat(received).hasSize(MESSAGES);
        assertThat(received.getLast().status()).isEqualTo(DocaError.BAD_STATE);
        assertThat(callers.stream().distinct()).containsExactly(thread);
        assertThat(thread.isVirtual()).isFalse();
        assertThat(thread.isAlive()).isFalse();
        assertThat(rdma.state()).as("tasks are not freed").isEqualTo(CtxState.STOPPING);
        driver.close();
        received.forEach(RdmaTask::free);
        engine.progress();
        assertThat(rdma.state()).isEqualTo(CtxState.IDLE);
    }

    @ParameterizedTest
    @EnumSource
    void anEngineHasOneDriverAtATime(ThreadMode mode) {
        try (ProgressEngine own = ProgressEngine.create(mode)) {
            ProgressDriver driver = ProgressDriver.start(own, Idle.SLEEP);
            assertRefused(
                    DocaError.IN_USE,
                    () -> ProgressDriver.start(own, Idle.SLEEP),
                    "driver already");
            driver.close();
            ProgressDriver.start(own, Idle.SLEEP).close();
        }
    }

    @Test
    void anotherDriverThatIsRefusedStopsNothing() {
        try (ProgressDriver _ = ProgressDriver.start(engine, Idle.SLEEP)) {
            assertRefused(DocaError.IN_USE, () -> ProgressDriver.start(engine, Idle.BUSY));
            exchange(1);
            received.forEach(RdmaTask::free);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "BUSY", mode = Mode.EXCLUDE)
    void withoutWorkItSleepsUntilThereIsSome(Idle idle) {
        try (ProgressDriver _ = ProgressDriver.start(engine, idle)) {
            Thread thread = thread();
            for (int i = 0; i < 3; i++) {
                Eventually.until(() -> sleeps(thread));
                exchange(1);
            }
            received.forEach(RdmaTask::free);
        }
    }

    @Test
    void aBusyDriverNeverSleeps() {
        try (ProgressDriver _ = ProgressDriver.start(engine, Idle.BUSY)) {
            Thread thread = thread();
            var threads = ManagementFactory.getThreadMXBean();
            long before = threads.getThreadCpuTime(thread.threadId());
            for (int i = 0; i < LOOKS; i++) {
                assertThat(sleeps(thread)).isFalse();
            }
            Eventually.until(
                    () -> threads.getThreadCpuTime(thread.threadId()) - before > WORK_NANOS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closingItStopsEveryContextOfItsEngine(Idle idle) {
        try (Rdma other = new Rdma(dev).receive(1).attach(engine);
                Rdma waiting = new Rdma(dev).receive(1).attach(engine)) {
            other.maxNumConnections(2).start();
            waiting.start();
            ProgressDriver.start(engine, idle).close();
            assertThat(List.of(rdma.state(), other.state(), waiting.state()))
                    .containsOnly(CtxState.IDLE);
        }
    }

    @Test
    void anEngineWithTasksInFlightIsNotTakenOver() {
        try (ProgressEngine confined = ProgressEngine.create();
                Rdma busy = new Rdma(dev).receive(1).maxNumConnections(2).attach(confined)) {
            busy.start();
            ReceiveTask task = busy.allocReceive(null);
            task.submitOrThrow();
            assertRefused(DocaError.IN_USE, () -> ProgressDriver.start(confined, Idle.SLEEP));
            busy.stop();
            confined.progress();
            task.free();
        }
    }

    @Test
    void aCallbackCannotCloseTheDriverThatRunsIt() {
        List<DocaError> refused = new CopyOnWriteArrayList<>();
        try (ProgressDriver driver = ProgressDriver.start(engine, Idle.HYBRID)) {
            whenReceived = () -> refused.add(refusalOf(driver));
            exchange(1);
            received.getFirst().free();
        }
        assertThat(refused).containsExactly(DocaError.BAD_STATE);
    }

    private static DocaError refusalOf(ProgressDriver driver) {
        try {
            driver.close();
            return DocaError.SUCCESS;
        } catch (DocaException e) {
            return e.error();
        }
    }
}
