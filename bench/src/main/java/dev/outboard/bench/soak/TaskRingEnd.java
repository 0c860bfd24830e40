package dev.outboard.bench.soak;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.BufRange;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.AtomicFetchAddTask;
import dev.outboard.doca.rdma.Be32;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.rdma.RdmaTask;
import dev.outboard.doca.rdma.ReadTask;
import dev.outboard.doca.rdma.ReceiveTask;
import dev.outboard.doca.rdma.SendImmTask;
import dev.outboard.doca.rdma.WriteTask;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// One end in a [TaskRing], with a progress engine and a context of its own: sends to the next,
/// writes there, reads that back and adds there, with [#IN_FLIGHT] tasks of each type; receives
/// from the one before. Whatever arrives, and whatever an atomic returns, is numbered and looked
/// at. One thread at a time.
final class TaskRingEnd implements AutoCloseable {
    private static final int IN_FLIGHT = 8;
    private static final int RECEIVES = 2 * IN_FLIGHT;
    private static final int BUFS = RECEIVES + 7 * IN_FLIGHT;

    /// Several packets of [#MTU], and a multiple of eight.
    private static final int MESSAGE_BYTES = 1000;

    private static final int MTU = 256;
    private static final int FOR_EVER = 7;

    /// The memory: the counter of the one before, what it writes here, then what is ours alone.
    private static final long COUNTER = 0;

    private static final long WRITTEN = 64;
    private static final long TO_SEND = WRITTEN + IN_FLIGHT * MESSAGE_BYTES;
    private static final long READ_BACK = TO_SEND + IN_FLIGHT * MESSAGE_BYTES;
    private static final long TO_WRITE = READ_BACK + IN_FLIGHT * MESSAGE_BYTES;
    private static final long RECEIVED = TO_WRITE + IN_FLIGHT * MESSAGE_BYTES;
    private static final long OLD = RECEIVED + RECEIVES * MESSAGE_BYTES;
    private static final long BYTES = OLD + IN_FLIGHT * Long.BYTES;

    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final Duration NAP = Duration.ofMillis(10);

    private final TaskTally tally;
    private final DocaDev dev;
    private final Mmap mmap;

    /// The thread that builds the ring takes from it, the end's own gives back.
    private final BufInventory inventory = BufInventory.createShared(BUFS).start();

    private final ProgressEngine engine = ProgressEngine.create();
    private final Rdma rdma;
    private final RdmaConnection in;
    private final RdmaConnection out;
    private final List<BufRange> bufs = new ArrayList<>();
    private final List<ReceiveTask> receives = new ArrayList<>();
    private final List<Buf> receiveBufs = new ArrayList<>();
    private final List<Slot> slots = new ArrayList<>();
    private final List<RemoteMmap> exports = new ArrayList<>();
    private long sent;
    private long received;
    private long written;
    private long added;
    private int inFlight;
    private boolean isEnding;

    /// A task of each type that goes to the next end, and the buffers it works on.
    private record Slot(
            Buf message,
            SendImmTask send,
            Buf source,
            RemoteBuf there,
            WriteTask write,
            Buf into,
            ReadTask read,
            Buf old,
            AtomicFetchAddTask add) {
        List<RdmaTask> tasks() {
            return List.of(send, write, read, add);
        }
    }

    private Slot slotOf(RdmaTask task) {
        return slots.get((int) task.userNumber());
    }

    TaskRingEnd(DocaDev dev, TaskTally tally) {
        this.dev = dev;
        this.tally = tally;
        mmap =
                Mmap.builder()
                        .device(dev)
                        .memrange(BYTES)
                        .permissions(
                                AccessFlag.LOCAL_READ_WRITE,
                                AccessFlag.RDMA_READ,
                                AccessFlag.RDMA_WRITE,
                                AccessFlag.RDMA_ATOMIC)
                        .build()
                        .start();
        rdma =
                new Rdma(dev)
                        .receive(this::received, this::failed, RECEIVES)
                        .sendImm(this::sent, this::failed, IN_FLIGHT)
                        .write(this::written, this::failed, IN_FLIGHT)
                        .read(this::read, this::failed, IN_FLIGHT)
                        .atomicFetchAdd(this::added, this::failed, IN_FLIGHT)
                        .permissions(
                                AccessFlag.RDMA_READ, AccessFlag.RDMA_WRITE, AccessFlag.RDMA_ATOMIC)
                        .mtu(MTU)
                        .rnrRetryCount(FOR_EVER)
                        .maxNumConnections(2)
                        .attach(engine);
        rdma.start();
        in = rdma.export();
        out = rdma.export();
    }

    /// From now on this end sends to `next`.
    void connectTo(TaskRingEnd next) {
        out.connect(next.in.details());
        next.in.connect(out.details());
        for (int i = 0; i < RECEIVES; i++) {
            Buf into = room(RECEIVED, i);
            ReceiveTask receive = rdma.allocReceive(into);
            receive.userNumber(i);
            receives.add(receive);
            receiveBufs.add(into);
        }
        RemoteMmap far = RemoteMmap.fromExport(dev, next.mmap.exportRdma(dev));
        exports.add(far);
        for (int i = 0; i < IN_FLIGHT; i++) {
            slots.add(slot(i, far));
        }
    }

    private Slot slot(int i, RemoteMmap far) {
        long place = WRITTEN + (long) i * MESSAGE_BYTES;
        Buf message = full(TO_SEND, i);
        Buf source = full(TO_WRITE, i);
        RemoteBuf there = kept(inventory.byAddress(far, place, MESSAGE_BYTES));
        RemoteBuf readFrom = kept(inventory.byData(far, place, MESSAGE_BYTES));
        Buf into = room(READ_BACK, i);
        RemoteBuf counter = kept(inventory.byData(far, COUNTER, Long.BYTES));
        Buf old = kept(inventory.byData(mmap, OLD + (long) i * Long.BYTES, Long.BYTES));
        SendImmTask send = out.allocSendImm(message, Be32.ofHost(0));
        WriteTask write = out.allocWrite(source, there);
        ReadTask read = out.allocRead(readFrom, into);
        AtomicFetchAddTask add = out.allocAtomicFetchAdd(counter, old, 1);
        Slot slot = new Slot(message, send, source, there, write, into, read, old, add);
        slot.tasks().forEach(task -> task.userNumber(i));
        return slot;
    }

    private Buf room(long area, int i) {
        return kept(inventory.byAddress(mmap, area + (long) i * MESSAGE_BYTES, MESSAGE_BYTES));
    }

    private Buf full(long area, int i) {
        return kept(inventory.byData(mmap, area + (long) i * MESSAGE_BYTES, MESSAGE_BYTES));
    }

    private <B extends BufRange> B kept(B buf) {
        bufs.add(buf);
        return buf;
    }

    // ---- the life of its thread -----------------------------------------------------------------

    /// Submits everything for the first time.
    void begin() {
        receives.forEach(this::submit);
        for (Slot slot : slots) {
            send(slot);
            write(slot);
            submitRequest(slot.add());
        }
    }

    /// Progresses, or sleeps a little if there is nothing to do.
    void work() throws InterruptedException {
        if (!engine.progress()) {
            engine.await(NAP);
        }
    }

    /// From now on nothing new is submitted but receives.
    void end() {
        isEnding = true;
    }

    /// Whether all that was submitted to the next one has completed.
    boolean isDone() {
        return inFlight == 0;
    }

    /// Whether it has received all that `before`, which is done, has sent.
    boolean hasAllOf(TaskRingEnd before) {
        return received == before.sent;
    }

    /// Looks whether the atomics of `before`, which is done, were executed once each.
    void checkCounter(TaskRingEnd before) {
        check(mmap.segment().get(NUMBER, COUNTER) == before.added);
    }

    // ---- callbacks ------------------------------------------------------------------------------

    private void send(Slot slot) {
        stamp(slot.message(), sent);
        slot.send().immediate(Be32.ofHost((int) sent));
        sent++;
        submitRequest(slot.send());
    }

    private void sent(SendImmTask task) {
        tally.sent.increment();
        if (completed()) {
            send(slotOf(task));
        }
    }

    private void received(ReceiveTask task) {
        tally.received.increment();
        tally.bytes.add(task.resultLength());
        Buf into = receiveBufs.get((int) task.userNumber());
        check(
                task.resultLength() == MESSAGE_BYTES
                        && number(into) == received
                        && task.immediateHost() == (int) received);
        received++;
        into.resetDataLen();
        submit(task);
    }

    private void write(Slot slot) {
        stamp(slot.source(), written);
        written++;
        slot.there().resetDataLen();
        submitRequest(slot.write());
    }

    private void written(WriteTask task) {
        if (completed()) {
            submitRequest(slotOf(task).read());
        }
    }

    private void read(ReadTask task) {
        tally.bytes.add(2 * task.resultLength());
        Slot slot = slotOf(task);
        check(task.resultLength() == MESSAGE_BYTES && number(slot.into()) == number(slot.source()));
        slot.into().resetDataLen();
        if (completed()) {
            write(slot);
        }
    }

    /// Nobody else adds there, so what was there before is known.
    private void added(AtomicFetchAddTask task) {
        check(number(slotOf(task).old()) == added);
        added++;
        if (completed()) {
            submitRequest(task);
        }
    }

    private void failed(RdmaTask task) {
        if (task instanceof ReceiveTask && rdma.state() != CtxState.RUNNING) {
            task.free();
        } else {
            tally.failed(task + ": " + task.completion());
            inFlight--;
        }
    }

    /// A request has completed.
    ///
    /// @return whether to go on
    private boolean completed() {
        tally.completed.increment();
        inFlight--;
        return !isEnding;
    }

    private void submitRequest(RdmaTask task) {
        tally.submitted.increment();
        inFlight++;
        submit(task);
    }

    private void submit(RdmaTask task) {
        DocaError error = task.submit();
        if (error != DocaError.SUCCESS) {
            tally.failed(task + ": " + error);
        }
    }

    private void check(boolean isRight) {
        if (!isRight) {
            tally.wrong.increment();
        }
    }

    private static void stamp(Buf buf, long number) {
        buf.dataSegment().set(NUMBER, 0, number);
    }

    private static long number(Buf buf) {
        return buf.dataSegment().get(NUMBER, 0);
    }

    /// Gives everything back but the memory, where others may write still.
    @Override
    public void close() {
        slots.forEach(slot -> slot.tasks().forEach(RdmaTask::free));
        rdma.close();
        engine.close();
        bufs.forEach(BufRange::release);
        inventory.close();
        exports.forEach(RemoteMmap::close);
    }

    /// Gives the memory back.
    void release() {
        mmap.close();
    }
}
