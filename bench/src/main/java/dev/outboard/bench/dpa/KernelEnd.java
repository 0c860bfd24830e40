package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.dpa.doca.DocaDpa;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// An end where a kernel of a DPA posts. The process sleeps meanwhile.
final class KernelEnd implements RoundEnd {
    private static final Duration GRACE = Duration.ofSeconds(30);
    private static final long LONG_NANOS = Duration.ofHours(1).toNanos();
    private static final int LINE = 64;

    private final Device card = Fabric.open(EchoProcess.LOOPBACK);
    private final DocaDev dev = DocaDev.of(card);
    private final DocaDpa dpa;
    private final Rdma rdma;
    private final RdmaConnection connection;

    /// A message that goes out, and one that comes in, with a line between them.
    private final DpaAddr buffer;

    private final int messageBytes;
    private final Mmap mmap;
    private final SyncEvent event;
    private final SyncEvent done;
    private final DpaAddr end;
    private @Nullable RemoteMmap theirs;
    private long launched;

    /// @param messageBytes how long the longest message is
    KernelEnd(int messageBytes) {
        this.messageBytes = messageBytes;
        MachineOptions.Timing usual = MachineOptions.Timing.DEFAULT;
        MachineOptions options =
                MachineOptions.DEFAULT.withTiming(
                        new MachineOptions.Timing(LONG_NANOS, usual.tickNanos(), usual.costs()));
        dpa =
                DocaDpa.create(dev, DpaDevice.of(options, RunMode.fast(), card))
                        .app(RoundKernelsStub.APP)
                        .start();
        rdma = new Rdma(dev).datapathOnDpa(dpa).permissions(AccessFlag.RDMA_WRITE);
        if (messageBytes == LARGE_BYTES) {
            rdma.sendQueueSize(LARGE_IN_FLIGHT);
        }
        rdma.start();
        connection = rdma.export();
        int bytes = 2 * messageBytes + LINE;
        buffer = zeros(bytes);
        mmap =
                Mmap.builder()
                        .device(dev)
                        .memrange(dpa, buffer.value(), bytes)
                        .permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_WRITE)
                        .build()
                        .start();
        event = new SyncEvent(dev).publisher(Location.REMOTE_NET).subscriber(dpa).start();
        done = new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start();
        end = zeros(RoundKernels.END_BYTES);
    }

    private DpaAddr zeros(int bytes) {
        DpaAddr made = dpa.memAlloc(bytes);
        dpa.memset(made, 0, bytes);
        return made;
    }

    private long in() {
        return (long) messageBytes + LINE;
    }

    @Override
    public List<byte[]> exports() {
        return List.of(connection.details(), mmap.exportRdma(dev), event.exportToRemoteNet());
    }

    @Override
    public void connect(List<byte[]> exports) {
        connection.connect(exports.get(0));
        RemoteMmap memory = RemoteMmap.fromExport(dev, exports.get(1));
        theirs = memory;
        long told = SyncEventRemoteNet.fromExport(dev, exports.get(2)).handle(dpa);
        long[] words = new long[RoundKernels.END_BYTES / Long.BYTES];
        words[RoundKernels.RDMA / Long.BYTES] = rdma.dpaHandle();
        words[RoundKernels.KEY / Long.BYTES] = mmap.handle(dpa);
        words[RoundKernels.OUT / Long.BYTES] = mmap.addressFor(dpa);
        words[RoundKernels.IN / Long.BYTES] = buffer.value() + in();
        words[RoundKernels.PEER_KEY / Long.BYTES] = memory.handle(dpa);
        words[RoundKernels.PEER_IN / Long.BYTES] = memory.addressFor(dpa) + in();
        words[RoundKernels.PEER_EVENT / Long.BYTES] = told;
        words[RoundKernels.EVENT / Long.BYTES] = event.handle(dpa);
        put(0, words);
    }

    private void put(int at, long... words) {
        try (Arena arena = Arena.ofConfined()) {
            dpa.copyToDpa(end.plus(at), arena.allocateFrom(ValueLayout.JAVA_LONG, words));
        }
    }

    private long word(int at) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG);
            dpa.copyFromDpa(to, end.plus(at));
            return to.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    @Override
    public double lead(long nanos) {
        long before = word(RoundKernels.ROUND);
        long took = run(nanos, RoundKernelsStub.lead(end));
        long rounds = word(RoundKernels.ROUND) - before - 1;
        return (double) took / rounds;
    }

    @Override
    public double write(long nanos) {
        long took = run(nanos, RoundKernelsStub.write(end));
        return word(RoundKernels.STOP) * (double) LARGE_BYTES * 1e9 / took;
    }

    /// Runs a kernel that is told to stop after a time.
    ///
    /// @return how long it took
    private long run(long nanos, DpaCall<DpaThread> kernel) {
        put(RoundKernels.STOP, 0);
        long start = System.nanoTime();
        launch(kernel);
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - start)) {
            LockSupport.parkNanos(this, left);
        }
        put(RoundKernels.STOP, 1);
        await(GRACE);
        return System.nanoTime() - start;
    }

    @Override
    public void answer() {
        launch(RoundKernelsStub.answer(end));
        await(Duration.ofNanos(LONG_NANOS));
    }

    private void launch(DpaCall<DpaThread> kernel) {
        dpa.launchUpdateAdd(null, 0, done, 1, 1, kernel);
        launched++;
    }

    private void await(Duration limit) {
        try {
            done.waitGt(launched - 1, -1, Spin.PARK, limit);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new MeasurementException("The kernel was not waited for");
        }
        long wrong = word(RoundKernels.WRONG);
        if (wrong != 0) {
            throw new MeasurementException("%d messages were other ones".formatted(wrong));
        }
    }

    @Override
    public void close() {
        rdma.stop();
        rdma.close();
        done.close();
        event.close();
        mmap.close();
        if (theirs != null) {
            theirs.close();
        }
        dpa.close();
        dev.close();
        card.close();
    }
}
