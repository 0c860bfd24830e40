package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

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
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// One end of a connection for tests: a device, a progress engine, memory, and a context with all
/// task types enabled whose callbacks only note what came.
final class RdmaEnd implements AutoCloseable {
    static final int MEMORY_BYTES = 1 << 16;
    static final int TASKS = 16;

    /// The byte at `i` of memory with a pattern is `i * STRIDE + i / 256` and the seed.
    private static final int STRIDE = 7;

    private static final long PATIENCE_NANOS = Duration.ofMinutes(5).toNanos();

    final DocaDev dev;
    final ProgressEngine engine = ProgressEngine.create();
    final Rdma rdma;
    final Mmap mmap;
    final BufInventory inventory = BufInventory.create(64).start();

    /// The tasks called back, in order.
    final List<RdmaTask> done = new ArrayList<>();

    /// The changes of state, in order.
    final List<CtxState> states = new ArrayList<>();

    /// What a test does in each callback of a task, and of a change of state.
    Consumer<RdmaTask> then = _ -> {};

    Consumer<CtxState> thenIn = _ -> {};

    /// Buffers to give back at the end, and what they were when they were handed out.
    private final IdentityHashMap<BufRange, Integer> kept = new IdentityHashMap<>();

    /// The only connection, once connected.
    RdmaConnection peer;

    /// The peer's memory.
    RemoteMmap remote;

    RdmaEnd(DocaDevInfo info) {
        this(info, AccessFlag.values());
    }

    /// An end whose memory permits what `permissions` say, as far as they are not for PCI.
    RdmaEnd(DocaDevInfo info, AccessFlag... permissions) {
        dev = DocaDev.open(info);
        mmap =
                Mmap.builder()
                        .device(dev)
                        .memrange(MEMORY_BYTES)
                        .permissions(withoutPci(permissions))
                        .build()
                        .start();
        rdma = new Rdma(dev);
        Consumer<RdmaTask> note =
                task -> {
                    done.add(task);
                    then.accept(task);
                };
        rdma.receive(note, note, TASKS)
                .send(note, note, TASKS)
                .sendImm(note, note, TASKS)
                .read(note, note, TASKS)
                .write(note, note, TASKS)
                .writeImm(note, note, TASKS)
                .atomicCmpSwp(note, note, TASKS)
                .atomicFetchAdd(note, note, TASKS)
                .syncEventGet(note, note, TASKS)
                .syncEventNotifySet(note, note, TASKS)
                .syncEventNotifyAdd(note, note, TASKS)
                .permissions(AccessFlag.RDMA_READ, AccessFlag.RDMA_WRITE, AccessFlag.RDMA_ATOMIC)
                .connectionRequestTimeout(Duration.ofSeconds(30))
                .attach(engine)
                .onStateChange((_, _, next) -> {
                    states.add(next);
                    thenIn.accept(next);
                });
    }

    static void connect(RdmaEnd one, RdmaEnd other) {
        one.rdma.start();
        other.rdma.start();
        one.peer = one.rdma.export();
        other.peer = other.rdma.export();
        one.peer.connect(other.peer.details());
        other.peer.connect(one.peer.details());
        one.progressUntil(() -> one.rdma.state() == CtxState.RUNNING);
        other.progressUntil(() -> other.rdma.state() == CtxState.RUNNING);
        one.remote = RemoteMmap.fromExport(one.dev, other.mmap.exportRdma(other.dev));
        other.remote = RemoteMmap.fromExport(other.dev, one.mmap.exportRdma(one.dev));
    }

    void progressUntil(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            engine.progress();
            assertThat(System.nanoTime() - deadline).as("nanoseconds over time").isNegative();
        }
    }

    /// Where peers connect to this end, while it listens to `port`.
    RdmaAddress address(int port) {
        String host = dev.address().getHostAddress();
        return RdmaAddress.ipv4(host, port);
    }

    /// Waits for the next task called back.
    RdmaTask next() {
        progressUntil(() -> !done.isEmpty());
        return done.removeFirst();
    }

    /// Submits `task` and waits until it, and no other, is called back.
    DocaError run(RdmaTask task) {
        assertThat(task.submit()).isEqualTo(DocaError.SUCCESS);
        assertThat(next()).isSameAs(task);
        return task.status();
    }

    /// A buffer over `length` bytes of the memory from `offset`, without data.
    Buf room(long offset, long length) {
        return keep(inventory.byAddress(mmap, offset, length));
    }

    /// A buffer that holds `bytes`, stored from `offset`.
    Buf data(long offset, byte... bytes) {
        MemorySegment.copy(bytes, 0, mmap.segment(), ValueLayout.JAVA_BYTE, offset, bytes.length);
        return keep(inventory.byData(mmap, offset, bytes.length));
    }

    /// A buffer that holds the `length` bytes from `offset`, whatever they are.
    Buf dataAt(long offset, long length) {
        return keep(inventory.byData(mmap, offset, length));
    }

    /// A buffer of `length` bytes from `offset`, of which `dataLength` from `data` are data.
    Buf buf(long offset, long length, long data, long dataLength) {
        return keep(inventory.byArgs(mmap, offset, length, data, dataLength));
    }

    /// The first of `bufs`, with the others behind it.
    static Buf list(Buf first, Buf... others) {
        for (Buf other : others) {
            first.chain(other);
        }
        return first;
    }

    /// A list of `count` buffers with `length` bytes of room each, from `offset`.
    Buf rooms(int count, long offset, long length) {
        Buf first = room(offset, length);
        for (int i = 1; i < count; i++) {
            first.chain(room(offset + i * length, length));
        }
        return first;
    }

    /// A list of `count` buffers with `length` bytes of data each, from `offset`.
    Buf datas(int count, long offset, long length) {
        Buf first = rooms(count, offset, length);
        for (Buf buf = first; buf != null; buf = buf.next()) {
            buf.dataLen(length);
        }
        return first;
    }

    /// Gives `buf` back at the end, unless somebody else has.
    <B extends BufRange> B keep(B buf) {
        kept.put(buf, buf.generation());
        return buf;
    }

    RemoteBuf remoteData(long offset, long length) {
        return keep(inventory.byData(remote, offset, length));
    }

    /// A buffer of the peer's memory: `length` bytes from `offset`, of which `dataLength` from
    /// `data` are data.
    RemoteBuf remoteBuf(long offset, long length, long data, long dataLength) {
        return keep(inventory.byArgs(remote, offset, length, data, dataLength));
    }

    RemoteBuf remoteRoom(long offset, long length) {
        return keep(inventory.byAddress(remote, offset, length));
    }

    byte[] bytes(long offset, int length) {
        return mmap.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /// All of the memory.
    byte[] memory() {
        return bytes(0, MEMORY_BYTES);
    }

    /// Fills the memory with bytes by which a wrong offset is noticed, others for another `seed`.
    void fill(int seed) {
        for (int i = 0; i < MEMORY_BYTES; i++) {
            byte value = (byte) (i * STRIDE + (i >> 8) + seed);
            mmap.segment().set(ValueLayout.JAVA_BYTE, i, value);
        }
    }

    @Override
    public void close() {
        rdma.close();
        forgetPeer();
        engine.close();
        inventory.close();
        mmap.close();
        dev.close();
    }

    /// Runs `action` while the device has no room for another queue pair.
    void withAllQueuePairsTaken(Runnable action) {
        ProtectionDomain domain = dev.protectionDomain();
        List<QueuePair> others = new ArrayList<>();
        CompletionQueue queue = domain.device().createCompletionQueue(1);
        try {
            QueuePairAttributes small = QueuePairAttributes.of(queue, 1, 1);
            for (int i = 0; i < domain.device().limits().maxQueuePairs(); i++) {
                others.add(domain.createQueuePair(small));
            }
            action.run();
        } finally {
            others.forEach(QueuePair::close);
            queue.close();
        }
    }

    /// Gives everything back that it had of and for the peer, so that it may connect again.
    void forgetPeer() {
        giveBackAll();
        if (remote != null) {
            remote.close();
            remote = null;
        }
    }

    /// Gives all buffers back that it keeps.
    void giveBackAll() {
        kept.forEach(RdmaEnd::giveBack);
        kept.clear();
    }

    private static void giveBack(BufRange buf, int generation) {
        boolean isOut = buf.generation() == generation;
        if (isOut && (!(buf instanceof Buf local) || local.isFirst())) {
            while (buf.generation() == generation) {
                buf.release();
            }
        }
    }

    private static AccessFlag[] withoutPci(AccessFlag[] flags) {
        return List.of(flags).stream()
                .filter(flag -> !flag.name().startsWith("PCI"))
                .toArray(AccessFlag[]::new);
    }
}
