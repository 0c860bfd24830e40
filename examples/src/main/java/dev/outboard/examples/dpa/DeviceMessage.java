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
import dev.outboard.dpa.doca.DocaDpaThread;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.examples.doca.Exchange;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/// An initiator and a target, two processes with a DPA each: a function that the target's host
/// calls posts a receive, and one that the initiator's host calls sends a message. Its completion
/// activates a thread of the target's DPA, which tells the host.
///
/// ```
/// java … DeviceMessage
/// ```
public final class DeviceMessage {
    private static final long WORD = 4711;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private DeviceMessage() {}

    /// Becomes two processes on this machine, or one of them: see [Exchange].
    public static void main(String[] words) throws Exception {
        run(DeviceMessage.class, MessageKernelsStub.APP, words);
    }

    /// The same, with another program in the place of the kernels.
    ///
    /// @param example whose main method calls this
    /// @param app has the name and the functions of [MessageKernels]
    static void run(Class<?> example, DpaApp<DpaThread> app, String[] words) throws Exception {
        Exchange.run(
                example, words, (peer, _) -> target(peer, app), (peer, _) -> initiator(peer, app));
    }

    private static DocaDpa dpa(DocaDev dev, Device card, DpaApp<DpaThread> app) {
        DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast(), card);
        return DocaDpa.create(dev, device).app(app).start();
    }

    private static Mmap message(DocaDev dev, DocaDpa dpa, DpaAddr block) {
        return Mmap.builder()
                .device(dev)
                .memrange(dpa, block.value(), MessageKernels.MESSAGE_BYTES)
                .permissions(AccessFlag.LOCAL_READ_WRITE)
                .build()
                .start();
    }

    private static void connect(Exchange peer, Rdma rdma) throws Exception {
        RdmaConnection connection = rdma.export();
        connection.connect(peer.swap(connection.details()));
    }

    private static void target(Exchange peer, DpaApp<DpaThread> app) throws Exception {
        try (Device card = Fabric.open(peer.deviceUri());
                DocaDev dev = DocaDev.of(card);
                DocaDpa dpa = dpa(dev, card, app);
                SyncEvent told =
                        new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start()) {
            DpaAddr block = dpa.memAlloc(MessageKernels.MESSAGE_BYTES);
            DpaAddr desk = dpa.memAlloc((long) MessageKernels.DESK_WORDS * Long.BYTES);
            try (Mmap message = message(dev, dpa, block);
                    DocaDpaThread thread =
                            DocaDpaThread.create(dpa)
                                    .function(MessageKernelsStub.received, desk.value())
                                    .start();
                    DocaDpaCompletion arrived =
                            DocaDpaCompletion.create(dpa, 4).thread(thread).start();
                    Rdma rdma = new Rdma(dev).datapathOnDpa(dpa).completions(arrived)) {
                rdma.start();
                try (Arena arena = Arena.ofConfined()) {
                    dpa.copyToDpa(
                            desk,
                            arena.allocateFrom(
                                    ValueLayout.JAVA_LONG,
                                    arrived.handle(),
                                    told.handle(dpa),
                                    block.value()));
                }
                thread.run();
                dpa.rpc(
                        MessageKernelsStub.postReceive(
                                rdma.dpaHandle(), message.handle(dpa), block));
                connect(peer, rdma);
                peer.meet();
                told.waitGt(0, -1, Spin.PARK, LIMIT);
                System.out.printf("the DPA has received %d%n", told.get());
                peer.meet();
            }
        }
    }

    private static void initiator(Exchange peer, DpaApp<DpaThread> app) throws Exception {
        try (Device card = Fabric.open(peer.deviceUri());
                DocaDev dev = DocaDev.of(card);
                DocaDpa dpa = dpa(dev, card, app);
                Rdma rdma = new Rdma(dev).datapathOnDpa(dpa)) {
            rdma.start();
            DpaAddr block = dpa.memAlloc(MessageKernels.MESSAGE_BYTES);
            try (Mmap message = message(dev, dpa, block)) {
                connect(peer, rdma);
                peer.meet();
                dpa.rpc(
                        MessageKernelsStub.postSend(
                                rdma.dpaHandle(), message.handle(dpa), block, WORD));
                peer.meet();
            }
        }
    }
}
