package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.ProgressDriver;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.ThreadMode;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// One thread prepares memory and buffers and submits, a second one runs the callback and looks at
/// nothing, a third one sees what came; on every provider.
@Requirement({"DCORE-THR-7", "DCORE-THR-8"})
abstract class VisibilityContract {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int ROUNDS = 2_000;
    private static final int BYTES = 256;

    private final ProgressEngine engine = ProgressEngine.create(ThreadMode.SHARED);
    private final BufInventory inventory = BufInventory.createShared(4).start();
    private final BlockingQueue<RdmaTask> arrived = new ArrayBlockingQueue<>(1);
    private final BlockingQueue<RdmaTask> sent = new ArrayBlockingQueue<>(1);
    private final BlockingQueue<Integer> seen = new ArrayBlockingQueue<>(1);
    private DocaDev dev;
    private Mmap memory;
    private RemoteMmap remote;
    private Rdma rdma;
    private RdmaConnection peer;
    private ProgressDriver driver;

    /// A device that reaches itself.
    abstract DocaDevInfo device();

    @BeforeEach
    void open() {
        dev = DocaDev.open(device());
        memory =
                Mmap.builder()
                        .device(dev)
                        .memrange(2 * BYTES)
                        .permissions(
                                AccessFlag.LOCAL_READ_WRITE,
                                AccessFlag.RDMA_READ,
                                AccessFlag.RDMA_ATOMIC)
                        .build()
                        .start();
        remote = RemoteMmap.fromExport(dev, memory.exportRdma(dev));
        rdma =
                new Rdma(dev)
                        .receive(arrived::add, RdmaTask::free, 1)
                        .read(arrived::add, RdmaTask::free, 1)
                        .atomicFetchAdd(arrived::add, RdmaTask::free, 1)
                        .send(sent::add, RdmaTask::free, 1)
                        .permissions(AccessFlag.RDMA_READ, AccessFlag.RDMA_ATOMIC)
                        .maxNumConnections(2)
                        .attach(engine);
        rdma.start();
        peer = rdma.export();
        RdmaConnection itself = rdma.export();
        peer.connect(itself.details());
        itself.connect(peer.details());
        driver = ProgressDriver.start(engine, ProgressDriver.Idle.HYBRID);
    }

    @AfterEach
    void close() {
        driver.close();
        rdma.close();
        engine.close();
        remote.close();
        memory.close();
        dev.close();
    }

    /// Prepares here, and checks on a third thread what the callback handed over.
    private void relay(IntConsumer prepare, IntConsumer check) throws Exception {
        FutureTask<Boolean> checker =
                new FutureTask<>(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        next(arrived);
                        check.accept(round);
                        seen.put(round);
                    }
                    return true;
                });
        Thread.ofPlatform().daemon().start(checker);
        for (int round = 0; round < ROUNDS && !checker.isDone(); round++) {
            prepare.accept(round);
            if (!checker.isDone()) {
                Integer last = seen.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(last).isEqualTo(round);
            }
        }
        assertThat(checker.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private static RdmaTask next(BlockingQueue<RdmaTask> queue) throws InterruptedException {
        RdmaTask task = queue.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(task).isNotNull();
        return task;
    }

    private static int length(int round) {
        return 1 + round % BYTES;
    }

    private void fill(int round) {
        for (int i = 0; i < BYTES; i++) {
            memory.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (round + i));
        }
    }

    private void assertSees(int round, Buf dst) {
        assertThat(dst.dataLen()).isEqualTo(length(round));
        for (int i = 0; i < length(round); i++) {
            byte value = memory.segment().get(ValueLayout.JAVA_BYTE, BYTES + i);
            assertThat(value).as("byte %d of round %d", i, round).isEqualTo((byte) (round + i));
        }
    }

    @Test
    void whatWasReceivedIsSeenByWhomeverTheCallbackHandsItTo() throws Exception {
        Buf src = inventory.byData(memory, 0, BYTES);
        Buf dst = inventory.byAddress(memory, BYTES, BYTES);
        SendTask send = peer.allocSend(src);
        ReceiveTask receive = rdma.allocReceive(dst);
        receive.submitOrThrow();
        relay(
                round -> {
                    fill(round);
                    src.dataLen(length(round));
                    send.submitOrThrow();
                },
                round -> {
                    assertThat(receive.resultLength()).isEqualTo(length(round));
                    assertSees(round, dst);
                    dst.resetDataLen();
                    awaitSent(send);
                    receive.submitOrThrow();
                });
        driver.close();
        send.free();
        src.release();
        dst.release();
    }

    private void awaitSent(SendTask send) {
        try {
            assertThat(next(sent)).isSameAs(send);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatWasReadIsSeenByWhomeverTheCallbackHandsItTo() throws Exception {
        RemoteBuf src = inventory.byData(remote, 0, BYTES);
        Buf dst = inventory.byAddress(memory, BYTES, BYTES);
        ReadTask read = peer.allocRead(src, dst);
        relay(
                round -> {
                    fill(round);
                    src.dataLen(length(round));
                    dst.resetDataLen();
                    read.submitOrThrow();
                },
                round -> assertSees(round, dst));
        read.free();
        src.release();
        dst.release();
    }

    @Test
    void whatAnAtomicFetchedIsSeenByWhomeverTheCallbackHandsItTo() throws Exception {
        RemoteBuf counter = inventory.byAddress(remote, 0, Long.BYTES);
        Buf result = inventory.byAddress(memory, BYTES, Long.BYTES);
        AtomicFetchAddTask add = peer.allocAtomicFetchAdd(counter, result, 1);
        relay(
                round -> add.submitOrThrow(),
                round ->
                        assertThat(memory.segment().get(ValueLayout.JAVA_LONG, BYTES))
                                .isEqualTo(round));
        add.free();
        counter.release();
        result.release();
    }
}
