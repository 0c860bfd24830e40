package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.ProgressDriver;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.ThreadMode;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Threads that wait for tasks and connections, and what ends their wait, on every provider.
abstract class WaitingContract {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int TASKS = 4;
    private static final int BYTES = 64;

    private final ProgressEngine engine = ProgressEngine.create(ThreadMode.SHARED);
    private final BufInventory inventory = BufInventory.createShared(8).start();
    private final List<RdmaTask> calledBack = new CopyOnWriteArrayList<>();
    private final List<RdmaConnection> requested = new CopyOnWriteArrayList<>();
    private DocaDev dev;
    private Mmap memory;
    private RemoteMmap remote;
    private Rdma rdma;
    private RdmaConnection peer;

    /// A device that reaches itself.
    abstract DocaDevInfo device();

    @BeforeEach
    void open() {
        dev = DocaDev.open(device());
        memory =
                Mmap.builder()
                        .device(dev)
                        .memrange(2 * BYTES)
                        .permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_READ)
                        .build()
                        .start();
        remote = RemoteMmap.fromExport(dev, memory.exportRdma(dev));
        rdma =
                new Rdma(dev)
                        .receive(calledBack::add, calledBack::add, TASKS)
                        .sendImm(TASKS)
                        .read(calledBack::add, calledBack::add, TASKS)
                        .permissions(AccessFlag.RDMA_READ)
                        .maxNumConnections(4)
                        .onConnection(
                                new ConnectionHandler() {
                                    @Override
                                    public void requested(RdmaConnection connection) {
                                        requested.add(connection);
                                    }
                                })
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
        remote.close();
        memory.close();
        dev.close();
    }

    private ProgressDriver drive() {
        return ProgressDriver.start(engine, ProgressDriver.Idle.HYBRID);
    }

    /// Runs `call` on a virtual thread, and returns when that waits.
    private static <T> FutureTask<T> waiting(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = Thread.ofVirtual().start(task);
        Eventually.until(() ->
                thread.getState() == Thread.State.WAITING
                        || thread.getState() == Thread.State.TIMED_WAITING);
        return task;
    }

    private static <T> T result(FutureTask<T> task) throws Exception {
        return task.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static void assertFails(DocaError error, CompletableFuture<?> future) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .satisfies(
                        e -> assertThat(((DocaException) e.getCause()).error()).isEqualTo(error));
    }

    private static void assertEnds(DocaError error, FutureTask<?> wait) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> result(wait))
                .satisfies(
                        e -> assertThat(e.getCause()).hasRootCauseInstanceOf(DocaException.class))
                .satisfies(e ->
                        assertThat(((DocaException) e.getCause().getCause()).error())
                                .isEqualTo(error));
    }

    // ---- futures --------------------------------------------------------------------------------

    @Test
    @Requirement("DJAVA-PE-3")
    void aVirtualThreadWaitsForTheOutcomeOfTasks() throws Exception {
        RemoteBuf src = inventory.byData(remote, 0, BYTES);
        Buf dst = inventory.byAddress(memory, BYTES, BYTES);
        try (ProgressDriver _ = drive()) {
            ReceiveTask receive = rdma.allocReceive(null);
            FutureTask<Integer> heard =
                    waiting(() -> {
                        receive.submitAsync().get();
                        return receive.immediateHost();
                    });
            SendImmTask send = peer.allocSendImm(null, Be32.ofHost(7));
            send.submitAsync().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(result(heard)).isEqualTo(7);

            ReadTask read = peer.allocRead(src, dst);
            assertThat(read.submitAsync().thenApply(_ -> read.resultLength()).get())
                    .isEqualTo(BYTES);
            receive.free();
            send.free();
            read.free();
        }
        assertThat(calledBack).isEmpty();
        dst.release();
        src.release();
    }

    @Test
    @Requirement("DJAVA-PE-3")
    void aFutureTellsWhyATaskFailedOrWasRefused() {
        Buf dst = inventory.byAddress(memory, BYTES, BYTES);
        try (Mmap revoked =
                        Mmap.builder()
                                .device(dev)
                                .memrange(BYTES)
                                .permissions(AccessFlag.RDMA_READ)
                                .build()
                                .start();
                RemoteMmap gone = RemoteMmap.fromExport(dev, revoked.exportRdma(dev));
                ProgressDriver _ = drive()) {
            revoked.stop();
            RemoteBuf src = inventory.byData(gone, 0, BYTES);
            ReadTask read = peer.allocRead(src, null);
            assertFails(DocaError.INVALID_VALUE, read.submitAsync());
            read.dst(dst);
            assertFails(DocaError.IO_FAILED, read.submitAsync());
            assertFails(DocaError.NOT_CONNECTED, read.submitAsync());
            read.free();
            src.release();
        }
        dst.release();
    }

    @Test
    @Requirement("DJAVA-PE-3")
    void aFutureGivesItsTask() throws Exception {
        try (ProgressDriver _ = drive()) {
            ReceiveTask receive = rdma.allocReceive();
            SendImmTask send = peer.allocSendImm(Be32.ofHost(1));
            CompletableFuture<ReceiveTask> received = receive.submitAsync();
            CompletableFuture<SendImmTask> sent = send.submitAsync();

            assertThat(received.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isSameAs(receive);
            assertThat(sent.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isSameAs(send);
            receive.free();
            send.free();
        }
    }

    @Test
    void whoAwaitsATaskSleepsMostOfTheTime() {
        ReceiveTask receive = rdma.allocReceive();
        receive.submitOrThrow();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();

        assertRefused(DocaError.TIME_OUT, () -> receive.awaitSuccess(Duration.ofSeconds(1)));

        Duration used = Duration.ofNanos(threads.getCurrentThreadCpuTime() - before);
        assertThat(used).as("time of the processor").isLessThan(Duration.ofMillis(500));
        SendImmTask send = peer.allocSendImm(Be32.ofHost(1));
        send.submitOrThrow();
        receive.awaitSuccess(PATIENCE);
        assertThat(receive.immediateHost()).isEqualTo(1);
    }

    @Test
    void anInterruptEndsTheWaitForATaskWhichGoesOn() {
        ReceiveTask receive = rdma.allocReceive();
        receive.submitOrThrow();

        Thread.currentThread().interrupt();
        assertRefused(DocaError.AGAIN, () -> receive.awaitSuccess(PATIENCE), "interrupted");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(receive.isInFlight()).isTrue();
    }

    @Test
    @Requirement("DJAVA-PE-3")
    void theNextSubmissionIsCalledBackAgain() throws Exception {
        ReceiveTask receive = rdma.allocReceive(null);
        SendImmTask send = peer.allocSendImm(null, Be32.ofHost(1));
        try (ProgressDriver _ = drive()) {
            CompletableFuture<ReceiveTask> first = receive.submitAsync();
            assertRefused(DocaError.BAD_STATE, receive::submitAsync);
            send.submitAsync().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(calledBack).isEmpty();
            receive.submitOrThrow();
            send.submitAsync().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            Eventually.until(() -> calledBack.contains(receive));
        }
    }

    private RdmaConnection connectToItself() {
        int port = rdma.listen(0);
        String host = dev.protectionDomain().device().address().getHostAddress();
        return rdma.connectTo(RdmaAddress.ipv4(host, port), null);
    }

    @Test
    @Requirement("DJAVA-PE-3")
    void bothSidesWaitForTheirConnection() throws Exception {
        try (ProgressDriver _ = drive()) {
            assertThat(peer.established().get()).isSameAs(peer);
            RdmaConnection client = connectToItself();
            FutureTask<RdmaConnection> atClient = waiting(() -> client.established().get());
            Eventually.until(() -> requested.size() == 1);
            RdmaConnection server = requested.getFirst();
            server.accept();
            assertThat(server.established().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isSameAs(server);
            assertThat(result(atClient)).isSameAs(client);
        }
    }

    @Test
    @Requirement("DJAVA-PE-3")
    void whoWaitsForARejectedConnectionIsTold() throws Exception {
        try (ProgressDriver _ = drive()) {
            RdmaConnection client = connectToItself();
            Eventually.until(() -> requested.size() == 1);
            requested.getFirst().reject();
            assertFails(DocaError.CONNECTION_ABORTED, client.established());
            assertFails(DocaError.BAD_STATE, requested.getFirst().established());
        }
    }

    @Test
    @Requirement("DJAVA-PE-3")
    void theOnlyConnectionIsEstablishedWhenItsContextRuns() throws Exception {
        try (Rdma one = new Rdma(dev).send(1).attach(engine);
                Rdma other = new Rdma(dev).attach(engine)) {
            one.start();
            other.start();
            RdmaConnection near = one.export();
            CompletableFuture<RdmaConnection> established = near.established();
            near.connect(other.export().details());
            assertThat(established).isNotDone();
            try (ProgressDriver _ = drive()) {
                assertThat(established.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isSameAs(near);
                near.allocSend(null).free();
            }
        }
    }

    // ---- what ends a wait -----------------------------------------------------------------------

    private void progressAll() throws InterruptedException {
        while (engine.await(Duration.ofMillis(1))) {
            engine.progress();
        }
    }

    @Test
    @Requirement("DJAVA-RDMA-6")
    void stoppingEndsTheWaitForTasks() throws Exception {
        try (ProgressDriver _ = drive()) {
            ReceiveTask receive = rdma.allocReceive(null);
            FutureTask<ReceiveTask> wait = waiting(() -> receive.submitAsync().join());
            rdma.stop();
            assertEnds(DocaError.BAD_STATE, wait);
            receive.free();
        }
    }

    @Test
    @Requirement("DJAVA-RDMA-6")
    void closingEndsTheWaitForTasksThoughNobodyProgresses() throws Exception {
        ReceiveTask receive = rdma.allocReceive(null);
        FutureTask<ReceiveTask> wait = waiting(() -> receive.submitAsync().join());
        rdma.close();
        assertEnds(DocaError.BAD_STATE, wait);
    }

    @Test
    @Requirement("DJAVA-RDMA-6")
    void closingEndsTheWaitForConnectionsOfBothSides() throws Exception {
        RdmaConnection client = connectToItself();
        FutureTask<RdmaConnection> atClient = waiting(() -> client.established().join());
        Eventually.until(() -> engine.progress() && requested.size() == 1);
        RdmaConnection server = requested.getFirst();
        FutureTask<RdmaConnection> atServer = waiting(() -> server.established().join());
        rdma.close();
        assertEnds(DocaError.BAD_STATE, atClient);
        assertEnds(DocaError.BAD_STATE, atServer);
    }

    @Test
    @Requirement("DJAVA-RDMA-6")
    void closingEndsTheLoopOfAnotherThread() throws Exception {
        FutureTask<Boolean> loop =
                waiting(() -> {
                    while (rdma.state() != CtxState.IDLE) {
                        if (!engine.progress()) {
                            engine.await(Duration.ofHours(1));
                        }
                    }
                    return true;
                });
        rdma.close();
        assertThat(result(loop)).isTrue();
    }

    @Test
    @Requirement("DJAVA-RDMA-6")
    void closingAndADriverGetAlong() {
        try (ProgressDriver _ = drive();
                Rdma other = new Rdma(dev).attach(engine)) {
            other.maxNumConnections(2).start();
            rdma.close();
            assertThat(other.state()).isEqualTo(CtxState.RUNNING);
            assertThat(other.export().state()).isEqualTo(RdmaState.INIT);
        }
    }

    @Test
    @Requirement("DJAVA-RDMA-6")
    void endingToListenEndsTheWaitForRequests() throws Exception {
        int port = rdma.listen(0);
        progressAll();
        FutureTask<Boolean> wait = waiting(() -> engine.await(Duration.ofHours(1)));
        rdma.stopListen(port);
        assertThat(result(wait)).isTrue();
    }

    @Test
    @Requirement("DJAVA-RDMA-6")
    void closingTheEngineEndsTheWaitForWork() throws Exception {
        rdma.close();
        progressAll();
        FutureTask<Boolean> wait = waiting(() -> engine.await(Duration.ofHours(1)));
        engine.close();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> result(wait))
                .withCauseInstanceOf(DocaException.class);
    }
}
