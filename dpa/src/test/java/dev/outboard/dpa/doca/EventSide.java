package dev.outboard.dpa.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.SimulatedGpu;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/// A context and a GPU beside it, on a card of its own, with memory of the host for messages and a
/// block of DPA memory for them. In the end its checker has found nothing but what was expected.
final class EventSide implements AutoCloseable {
    static final int MESSAGE = EventSteps.WORDS * Long.BYTES;
    private static final AtomicInteger CARDS = new AtomicInteger();

    final DocaDev dev;
    final DocaDpa dpa;
    final DocaGpu gpu;

    /// Two messages: the one that is told, and one that the GPU has copied from there.
    final Mmap host;

    final DpaAddr words;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final CheckedDevices devices = new CheckedDevices();

    /// With a simulated NIC.
    static EventSide in(RunMode mode) {
        return in(mode, EventStepsStub.APP);
    }

    static EventSide in(RunMode mode, DpaApp<DpaThread> app) {
        String uri = "sim://event-side-%d/10.9.3.1?clock=real".formatted(CARDS.incrementAndGet());
        return new EventSide(Fabric.open(uri), mode, false, app);
    }

    /// On a card, at full speed.
    static EventSide on(Device card) {
        return new EventSide(card, RunMode.fast(), true, EventStepsStub.APP);
    }

    private EventSide(Device card, RunMode mode, boolean isOnFabric, DpaApp<DpaThread> app) {
        open(card);
        dev = open(DocaDev.of(card));
        MachineOptions options = MachineOptions.DEFAULT;
        DpaDevice device =
                isOnFabric ? DpaDevice.of(options, mode, card) : devices.device(options, mode);
        dpa = open(DocaDpa.create(dev, device).app(app).start());
        gpu = DocaGpu.create(dpa);
        host =
                open(
                        Mmap.builder()
                                .device(dev)
                                .memrange(2 * MESSAGE)
                                .permissions(
                                        AccessFlag.LOCAL_READ_WRITE,
                                        AccessFlag.RDMA_READ,
                                        AccessFlag.RDMA_WRITE)
                                .build()
                                .start());
        words = zeros(MESSAGE);
        host.handle(dpa);
    }

    /// In CHECK there must be one finding of each of these.
    void expect(Rule... rules) {
        devices.expect(rules);
    }

    <T extends AutoCloseable> T open(T made) {
        opened.addFirst(made);
        return made;
    }

    @Override
    public void close() {
        try {
            for (AutoCloseable one : opened) {
                one.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        devices.verify();
    }

    DpaAddr zeros(int bytes) {
        DpaAddr block = dpa.memAlloc(bytes);
        dpa.memset(block, 0, bytes);
        return block;
    }

    /// The CPU writes a message to both places.
    void write(long seed) {
        try (Arena arena = Arena.ofConfined();
                BufInventory inventory = BufInventory.create(1).start()) {
            dpa.copyToDpa(words, arena.allocateFrom(ValueLayout.JAVA_LONG, message(seed)));
            Buf place = inventory.byAddress(host, 0, MESSAGE);
            dpa.copyFromDpa(place, words, MESSAGE);
            place.release();
        }
    }

    /// What the CPU finds in the memory of the host.
    ///
    /// @param number of the message
    long[] read(int number) {
        DpaAddr copy = dpa.memAlloc(MESSAGE);
        try (Arena arena = Arena.ofConfined();
                BufInventory inventory = BufInventory.create(1).start()) {
            Buf place = inventory.byData(host, (long) number * MESSAGE, MESSAGE);
            dpa.copyToDpa(copy, place);
            place.release();
            MemorySegment to = arena.allocate(MESSAGE);
            dpa.copyFromDpa(to, copy);
            return to.toArray(ValueLayout.JAVA_LONG);
        } finally {
            dpa.memFree(copy);
        }
    }

    static long[] message(long seed) {
        return LongStream.range(0, EventSteps.WORDS).map(i -> seed + i).toArray();
    }

    /// Where the message is, as streams and kernels call it.
    DpaAddr place(int number) {
        return new DpaAddr(host.addressFor(dpa) + (long) number * MESSAGE);
    }

    /// A message in the memory of the GPU.
    DpaAddr image(long seed) {
        FlexioBuffer image = SimulatedGpu.of(dpa.process()).allocate("image", MESSAGE);
        ByteBuffer bytes = ByteBuffer.allocate(MESSAGE).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(message(seed));
        image.write(0, bytes.array());
        return image.address();
    }

    /// Its end of a connection whose operations kernels post.
    Rdma rdma() {
        Rdma rdma =
                open(
                        new Rdma(dev)
                                .datapathOnDpa(dpa)
                                .permissions(
                                        AccessFlag.RDMA_WRITE,
                                        AccessFlag.RDMA_READ,
                                        AccessFlag.RDMA_ATOMIC));
        rdma.start();
        return rdma;
    }

    /// What a kernel of this side needs to signal an event of another.
    DpaAddr desk(Rdma rdma, EventSide peer, SyncEvent event) {
        Mmap own =
                open(
                        Mmap.builder()
                                .device(dev)
                                .memrange(dpa, zeros(MESSAGE).value(), MESSAGE)
                                .permissions(AccessFlag.LOCAL_READ_WRITE)
                                .build()
                                .start());
        RemoteMmap theirs = open(RemoteMmap.fromExport(dev, peer.host.exportRdma(peer.dev)));
        SyncEventRemoteNet told = SyncEventRemoteNet.fromExport(dev, event.exportToRemoteNet());
        long[] desk = new long[EventSteps.DESK_BYTES / Long.BYTES];
        desk[EventSteps.RDMA / Long.BYTES] = rdma.dpaHandle();
        desk[EventSteps.OWN_KEY / Long.BYTES] = own.handle(dpa);
        desk[EventSteps.OUT / Long.BYTES] = own.addressFor(dpa);
        desk[EventSteps.PEER_KEY / Long.BYTES] = theirs.handle(dpa);
        desk[EventSteps.PEER_IN / Long.BYTES] = theirs.addressFor(dpa);
        desk[EventSteps.PEER_EVENT / Long.BYTES] = told.handle(dpa);
        DpaAddr made = dpa.memAlloc(EventSteps.DESK_BYTES);
        try (Arena arena = Arena.ofConfined()) {
            dpa.copyToDpa(made, arena.allocateFrom(ValueLayout.JAVA_LONG, desk));
        }
        return made;
    }

    static void connect(Rdma left, Rdma right) {
        RdmaConnection one = left.export();
        RdmaConnection other = right.export();
        one.connect(other.details());
        other.connect(one.details());
    }
}
