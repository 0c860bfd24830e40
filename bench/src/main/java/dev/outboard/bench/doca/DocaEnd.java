package dev.outboard.bench.doca;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.BufRange;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.rdma.RdmaTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One end of a connection between two devices on loopback: a DOCA RDMA context with memory. For
/// one thread, which [#bind] makes the current one.
final class DocaEnd implements AutoCloseable {
    private static final String LOOPBACK = "roce://auto?peer=127.0.0.1";
    private static final int FOR_EVER = 7;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final long bytes;
    private final DocaDev dev = DocaDev.open(DocaDevInfo.of(LOOPBACK));
    private final ProgressEngine engine = ProgressEngine.create();
    private final BufInventory inventory;
    private final Mmap mmap;
    private final Rdma rdma;
    private final List<BufRange> bufs = new ArrayList<>();
    private final List<RdmaTask> tasks = new ArrayList<>();
    private @Nullable RemoteMmap remote;
    private @Nullable RdmaTask failed;

    /// An end with `bytes` bytes of memory.
    ///
    /// @param tasks how many of each type
    /// @param done told about each task that succeeded
    DocaEnd(long bytes, int tasks, Consumer<RdmaTask> done) {
        this.bytes = bytes;
        inventory = BufInventory.create(4 * tasks).start();
        mmap =
                Mmap.builder()
                        .device(dev)
                        .memrange(bytes)
                        .permissions(
                                AccessFlag.LOCAL_READ_WRITE,
                                AccessFlag.RDMA_READ,
                                AccessFlag.RDMA_WRITE)
                        .build()
                        .start();
        rdma =
                new Rdma(dev)
                        .receive(done, this::failed, tasks)
                        .send(done, this::failed, tasks)
                        .read(done, this::failed, tasks)
                        .write(done, this::failed, tasks)
                        .writeImm(done, this::failed, tasks)
                        .permissions(AccessFlag.RDMA_READ, AccessFlag.RDMA_WRITE)
                        .rnrRetryCount(FOR_EVER)
                        .attach(engine);
        rdma.start();
    }

    static void connect(DocaEnd one, DocaEnd other) {
        byte[] details = one.peer().details();
        one.peer().connect(other.peer().details());
        other.peer().connect(details);
        one.run(other);
        other.run(one);
    }

    private void run(DocaEnd other) {
        remote = RemoteMmap.fromExport(dev, other.mmap.exportRdma(other.dev));
        engine.progressUntil(() -> rdma.state() == CtxState.RUNNING, PATIENCE);
    }

    /// From now on this end is used by the current thread; nothing may be in flight.
    void bind() {
        engine.rebind();
    }

    Rdma rdma() {
        return rdma;
    }

    RdmaConnection peer() {
        return rdma.export();
    }

    /// All of the memory, full of data.
    Buf data() {
        return kept(inventory.byData(mmap, 0, bytes));
    }

    /// All of the memory, empty.
    Buf room() {
        return kept(inventory.byAddress(mmap, 0, bytes));
    }

    /// All of the other's memory, full of data.
    RemoteBuf remoteData() {
        return kept(inventory.byData(Objects.requireNonNull(remote), 0, bytes));
    }

    /// All of the other's memory, empty.
    RemoteBuf remoteRoom() {
        return kept(inventory.byAddress(Objects.requireNonNull(remote), 0, bytes));
    }

    private <B extends BufRange> B kept(B buf) {
        bufs.add(buf);
        return buf;
    }

    /// Frees the task when this end is closed.
    <T extends RdmaTask> T kept(T task) {
        tasks.add(task);
        return task;
    }

    static void submit(RdmaTask task) {
        DocaError error = task.submit();
        if (error != DocaError.SUCCESS) {
            throw new MeasurementException(task + ": " + error);
        }
    }

    void progress() {
        if (!engine.progress()) {
            Thread.onSpinWait();
        }
        if (failed != null) {
            throw new MeasurementException(failed + ": " + failed.completion());
        }
    }

    private void failed(RdmaTask task) {
        if (rdma.state() == CtxState.RUNNING) {
            failed = task;
        }
    }

    @Override
    public void close() {
        rdma.stop();
        engine.progressUntil(() -> rdma.inFlightTasks() == 0, PATIENCE);
        tasks.forEach(RdmaTask::free);
        rdma.close();
        engine.close();
        bufs.forEach(BufRange::release);
        inventory.close();
        if (remote != null) {
            remote.close();
        }
    }

    /// Releases the memory, which the other end may use until it is closed too.
    void release() {
        mmap.close();
        dev.close();
    }
}
