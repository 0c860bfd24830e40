package dev.outboard.examples.dpa;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.doca.DocaDpa;
import dev.outboard.dpa.doca.DocaDpaCompletion;
import dev.outboard.dpa.doca.DocaDpaNotification;
import dev.outboard.dpa.doca.DocaDpaThread;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.examples.doca.Exchange;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/// An initiator and a target, two processes with a DPA each: a kernel of the initiator sends four
/// messages with immediate data; a thread of the target's DPA counts them, posts the receives again
/// and notifies a second thread, which tells the host.
///
/// ```
/// java … FourSends
/// ```
public final class FourSends {
    private static final int BATCHES = 25;
    private static final int BUFFER_BYTES =
            FourSendsKernels.MESSAGES * FourSendsKernels.MESSAGE_BYTES;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private FourSends() {}

    /// Becomes two processes on this machine, or one of them: see [Exchange].
    public static void main(String[] words) throws Exception {
        Exchange.run(
                FourSends.class, words, (peer, _) -> target(peer), (peer, _) -> initiator(peer));
    }

    private static DocaDpa dpa(DocaDev dev, Device card) {
        DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast(), card);
        return DocaDpa.create(dev, device).app(FourSendsKernelsStub.APP).start();
    }

    /// Messages in memory of the DPA.
    private static Mmap buffers(DocaDev dev, DocaDpa dpa) {
        return Mmap.builder()
                .device(dev)
                .memrange(dpa, dpa.memAlloc(BUFFER_BYTES).value(), BUFFER_BYTES)
                .permissions(AccessFlag.LOCAL_READ_WRITE)
                .build()
                .start();
    }

    private static DpaAddr side(DocaDpa dpa) {
        DpaAddr side = dpa.memAlloc(FourSendsKernels.SIDE_BYTES);
        dpa.memset(side, 0, FourSendsKernels.SIDE_BYTES);
        return side;
    }

    private static void fill(DocaDpa dpa, DpaAddr side, long... words) {
        try (Arena arena = Arena.ofConfined()) {
            dpa.copyToDpa(side, arena.allocateFrom(ValueLayout.JAVA_LONG, words));
        }
    }

    private static void target(Exchange peer) throws Exception {
        try (Device card = Fabric.open(peer.deviceUri());
                DocaDev dev = DocaDev.of(card);
                DocaDpa dpa = dpa(dev, card);
                Mmap buffers = buffers(dev, dpa);
                SyncEvent told =
                        new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start()) {
            DpaAddr side = side(dpa);
            try (DocaDpaThread teller =
                            DocaDpaThread.create(dpa)
                                    .function(FourSendsKernelsStub.tell, side.value())
                                    .start();
                    DocaDpaNotification notification =
                            DocaDpaNotification.create(dpa, teller).start();
                    DocaDpaThread counter =
                            DocaDpaThread.create(dpa)
                                    .function(FourSendsKernelsStub.count, side.value())
                                    .start();
                    DocaDpaCompletion arrived =
                            DocaDpaCompletion.create(dpa, 2 * FourSendsKernels.MESSAGES)
                                    .thread(counter)
                                    .start();
                    Rdma rdma =
                            new Rdma(dev)
                                    .datapathOnDpa(dpa)
                                    .completions(arrived)
                                    .recvQueueSize(FourSendsKernels.MESSAGES)) {
                rdma.start();
                fill(
                        dpa,
                        side,
                        rdma.dpaHandle(),
                        buffers.handle(dpa),
                        buffers.addressFor(dpa),
                        arrived.handle(),
                        notification.handle(),
                        told.handle(dpa));
                teller.run();
                counter.run();
                dpa.rpc(FourSendsKernelsStub.postReceives(side));
                connect(peer, rdma);
                int messages = BATCHES * FourSendsKernels.MESSAGES;
                told.waitGt(messages - 1, -1, Spin.PARK, LIMIT);
                System.out.printf(
                        "%d messages were counted, and their immediates are %d together%n",
                        told.get(), word(dpa, side, FourSendsKernels.SUM));
                peer.meet();
            }
        }
    }

    private static void initiator(Exchange peer) throws Exception {
        try (Device card = Fabric.open(peer.deviceUri());
                DocaDev dev = DocaDev.of(card);
                DocaDpa dpa = dpa(dev, card);
                Mmap buffers = buffers(dev, dpa);
                SyncEvent sent =
                        new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start();
                Rdma rdma = new Rdma(dev).datapathOnDpa(dpa)) {
            rdma.start();
            DpaAddr side = side(dpa);
            fill(dpa, side, rdma.dpaHandle(), buffers.handle(dpa), buffers.addressFor(dpa));
            connect(peer, rdma);
            for (int batch = 0; batch < BATCHES; batch++) {
                int first = 1 + batch * FourSendsKernels.MESSAGES;
                dpa.launchUpdateAdd(null, 0, sent, 1, 1, FourSendsKernelsStub.send(side, first));
                sent.waitGt(batch, -1, Spin.PARK, LIMIT);
            }
            peer.meet();
        }
    }

    private static void connect(Exchange peer, Rdma rdma) throws Exception {
        RdmaConnection connection = rdma.export();
        connection.connect(peer.swap(connection.details()));
        peer.meet();
    }

    private static long word(DocaDpa dpa, DpaAddr side, int at) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG);
            dpa.copyFromDpa(to, side.plus(at));
            return to.get(ValueLayout.JAVA_LONG, 0);
        }
    }
}
