package dev.outboard.bench.dpa;

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
import dev.outboard.doca.SubmitFlag;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.rdma.RdmaTask;
import dev.outboard.doca.rdma.SyncEventNotifySetTask;
import dev.outboard.doca.rdma.WriteTask;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An end where tasks of the host are submitted, by a thread that looks all the time for what has
/// come.
final class TaskEnd implements RoundEnd {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Set<SubmitFlag> FLUSH = Set.of(SubmitFlag.FLUSH);
    private static final int IN_FLIGHT = LARGE_IN_FLIGHT;
    private static final int LINE = 64;

    private final DocaDev dev = DocaDev.open(DocaDevInfo.of(EchoProcess.LOOPBACK));
    private final ProgressEngine engine = ProgressEngine.create();
    private final BufInventory inventory = BufInventory.create(5 * IN_FLIGHT).start();
    private final int messageBytes;

    /// A message that goes out, one that comes in, and what the event is set to, with a line
    /// between any two.
    private final Mmap mmap;

    private final Rdma rdma;
    private final RdmaConnection connection;
    private final SyncEvent event;
    private final List<BufRange> bufs = new ArrayList<>();
    private final List<RdmaTask> tasks = new ArrayList<>();
    private final List<Message> messages = new ArrayList<>();
    private final List<WriteTask> writes = new ArrayList<>();
    private @Nullable RemoteMmap theirs;
    private @Nullable RdmaTask failed;
    private long round;
    private boolean writesOn;
    private long written;

    /// A write and what tells the other end of it. Several take turns, since the latest may not
    /// have been acknowledged when the answer is there.
    ///
    /// @param value what the event is set to
    private record Message(WriteTask write, SyncEventNotifySetTask tell, long value) {}

    /// @param messageBytes how long the longest message is
    TaskEnd(int messageBytes) {
        this.messageBytes = messageBytes;
        mmap =
                Mmap.builder()
                        .device(dev)
                        .memrange(values() + (long) IN_FLIGHT * LINE)
                        .permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_WRITE)
                        .build()
                        .start();
        rdma =
                new Rdma(dev)
                        .write(this::done, this::failed, 2 * IN_FLIGHT)
                        .syncEventNotifySet(this::done, this::failed, IN_FLIGHT)
                        .permissions(AccessFlag.RDMA_WRITE)
                        .attach(engine);
        rdma.start();
        connection = rdma.export();
        event = new SyncEvent(dev).publisher(Location.REMOTE_NET).subscriber(Location.CPU).start();
    }

    private long in() {
        return (long) messageBytes + LINE;
    }

    private long values() {
        return 2 * in();
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
        SyncEventRemoteNet told = SyncEventRemoteNet.fromExport(dev, exports.get(2));
        engine.progressUntil(() -> rdma.state() == CtxState.RUNNING, PATIENCE);
        for (int i = 0; i < IN_FLIGHT; i++) {
            long value = values() + (long) i * LINE;
            Buf source = kept(inventory.byData(mmap, value, Long.BYTES));
            messages.add(
                    new Message(
                            write(memory, SMALL_BYTES),
                            kept(connection.allocSyncEventNotifySet(told, source)),
                            value));
            writes.add(write(memory, messageBytes));
        }
    }

    private WriteTask write(RemoteMmap memory, int bytes) {
        Buf from = kept(inventory.byData(mmap, 0, bytes));
        RemoteBuf to = kept(inventory.byAddress(memory, in(), bytes));
        return kept(connection.allocWrite(from, to));
    }

    private <B extends BufRange> B kept(B buf) {
        bufs.add(buf);
        return buf;
    }

    private <T extends RdmaTask> T kept(T task) {
        tasks.add(task);
        return task;
    }

    private void done(RdmaTask task) {
        if (task instanceof WriteTask write) {
            Objects.requireNonNull(write.dst()).resetDataLen();
            if (writesOn) {
                written++;
                submit(write, FLUSH);
            }
        }
    }

    private void failed(RdmaTask task) {
        if (rdma.state() == CtxState.RUNNING) {
            failed = task;
        }
    }

    private static void submit(RdmaTask task, Set<SubmitFlag> flags) {
        DocaError error = task.submit(flags);
        if (error != DocaError.SUCCESS) {
            throw new MeasurementException(task + ": " + error);
        }
    }

    private void progress() {
        if (!engine.progress()) {
            Thread.onSpinWait();
        }
        if (failed != null) {
            throw new MeasurementException(failed + ": " + failed.completion());
        }
    }

    /// Sends a message with that first word.
    private void tell(long word) {
        Message message = messages.get((int) (round % IN_FLIGHT));
        while (message.write.isInFlight() || message.tell.isInFlight()) {
            progress();
        }
        mmap.segment().set(ValueLayout.JAVA_LONG, 0, word);
        mmap.segment().set(ValueLayout.JAVA_LONG, message.value, round);
        submit(message.write, Set.of());
        submit(message.tell, FLUSH);
    }

    /// Waits until the other end has set the event to the round.
    ///
    /// @return the first word of its message
    private long await(long deadline) {
        while (event.get() < round) {
            progress();
            if (System.nanoTime() - deadline > 0) {
                throw new MeasurementException("no message came in round " + round);
            }
        }
        return mmap.segment().get(ValueLayout.JAVA_LONG, in());
    }

    private static long deadline(Duration time) {
        return System.nanoTime() + time.toNanos();
    }

    private void check(long word) {
        if (word != round) {
            throw new MeasurementException("round %d has message %d".formatted(round, word));
        }
    }

    @Override
    public double lead(long nanos) {
        long start = System.nanoTime();
        long deadline = deadline(PATIENCE.plusNanos(nanos));
        long before = round;
        while (System.nanoTime() - start < nanos) {
            round++;
            tell(round);
            check(await(deadline));
        }
        long took = System.nanoTime() - start;
        double rounds = round - before;
        last();
        return took / rounds;
    }

    private void last() {
        round++;
        tell(LAST);
        drain();
    }

    private void drain() {
        engine.progressUntil(() -> rdma.inFlightTasks() == 0, PATIENCE);
    }

    @Override
    public double write(long nanos) {
        long start = System.nanoTime();
        written = 0;
        writesOn = true;
        writes.forEach(task -> submit(task, FLUSH));
        while (System.nanoTime() - start < nanos) {
            progress();
        }
        writesOn = false;
        drain();
        double bytes = (double) (written + IN_FLIGHT) * LARGE_BYTES;
        long took = System.nanoTime() - start;
        last();
        return bytes * 1e9 / took;
    }

    @Override
    public void answer() {
        long deadline = deadline(Duration.ofHours(1));
        round++;
        for (long word = await(deadline); word != LAST; word = await(deadline)) {
            check(word);
            tell(word);
            round++;
        }
        drain();
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
        event.close();
        if (theirs != null) {
            theirs.close();
        }
        mmap.close();
        dev.close();
    }
}
