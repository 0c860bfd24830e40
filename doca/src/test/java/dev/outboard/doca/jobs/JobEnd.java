package dev.outboard.doca.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.BufRange;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// One end of a connection for tests of jobs: a device, memory, an instance with everything
/// permitted, and its work queue.
final class JobEnd implements AutoCloseable {
    static final int DEPTH = 8;
    static final int CHAIN = 3;

    private static final long PATIENCE_NANOS = Duration.ofMinutes(5).toNanos();
    private static final int MEMORY_BYTES = 1 << 14;

    final DocaDev dev;
    final Mmap mmap;
    final BufInventory inventory = BufInventory.create(64).start();
    final RdmaInstance instance;
    final WorkQueue queue = WorkQueue.create(DEPTH);
    final JobEvent event = new JobEvent();

    /// The peer's memory.
    RemoteMmap remote;

    /// The buffers it made, which it gives back.
    private final List<BufRange> used = new ArrayList<>();

    JobEnd(DocaDevInfo info) {
        dev = DocaDev.open(info);
        mmap =
                Mmap.builder()
                        .device(dev)
                        .memrange(MEMORY_BYTES)
                        .permissions(
                                AccessFlag.LOCAL_READ_WRITE,
                                AccessFlag.RDMA_READ,
                                AccessFlag.RDMA_WRITE,
                                AccessFlag.RDMA_ATOMIC)
                        .build()
                        .start();
        instance =
                new RdmaInstance()
                        .addDevice(dev)
                        .recvBufChainLen(CHAIN)
                        .permissions(
                                AccessFlag.RDMA_READ,
                                AccessFlag.RDMA_WRITE,
                                AccessFlag.RDMA_ATOMIC);
    }

    void start() {
        instance.start();
        instance.addWorkQueue(queue);
    }

    /// Knows the peer's memory from now on.
    void reach(DocaDev peersDev, Mmap peersMemory) {
        remote = RemoteMmap.fromExport(dev, peersMemory.exportRdma(peersDev));
    }

    static void connect(JobEnd one, JobEnd other) {
        one.start();
        other.start();
        one.instance.connect(other.instance.export());
        other.instance.connect(one.instance.export());
        one.reach(other.dev, other.mmap);
        other.reach(one.dev, one.mmap);
    }

    void submit(Job job) {
        assertThat(queue.submit(job)).isEqualTo(DocaError.SUCCESS);
    }

    /// Retrieves the next event.
    DocaError retrieve() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        DocaError retrieved = queue.retrieve(event);
        while (retrieved == DocaError.AGAIN) {
            assertThat(System.nanoTime() - deadline).as("nanoseconds over time").isNegative();
            retrieved = queue.retrieve(event);
        }
        return retrieved;
    }

    /// Submits a job and retrieves its event, which must be the next.
    DocaError run(Job job) {
        submit(job);
        DocaError retrieved = retrieve();
        assertThat(event.type()).isEqualTo(job.type());
        return retrieved;
    }

    Buf room(long offset, long length) {
        return use(inventory.byAddress(mmap, offset, length));
    }

    /// A buffer that holds `bytes`, stored from `offset`.
    Buf data(long offset, byte... bytes) {
        MemorySegment.copy(bytes, 0, mmap.segment(), ValueLayout.JAVA_BYTE, offset, bytes.length);
        return use(inventory.byData(mmap, offset, bytes.length));
    }

    RemoteBuf remoteRoom(long offset, long length) {
        return use(inventory.byAddress(remote, offset, length));
    }

    RemoteBuf remoteData(long offset, long length) {
        return use(inventory.byData(remote, offset, length));
    }

    private <B extends BufRange> B use(B buf) {
        used.add(buf);
        return buf;
    }

    byte[] bytes(long offset, int length) {
        return mmap.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    long number(long offset) {
        return mmap.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    @Override
    public void close() {
        instance.close();
        queue.close();
        used.stream()
                .filter(range -> !(range instanceof Buf buf) || buf.isFirst())
                .toList()
                .forEach(BufRange::release);
        if (remote != null) {
            remote.close();
        }
        inventory.close();
        mmap.close();
        dev.close();
    }
}
