package dev.outboard.examples.dpa;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.examples.doca.Exchange;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/// Two processes with a DPA each, whose threads send messages to and fro: each polls for what
/// completes, and keeps what it has counted in its local storage. The hosts are told when all have
/// come.
///
/// ```
/// java … DevicePingPong
/// ```
public final class DevicePingPong {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private DevicePingPong() {}

    /// Becomes two processes on this machine, or one of them: see [Exchange].
    public static void main(String[] words) throws Exception {
        run(DevicePingPong.class, PingPongKernelsStub.APP, words);
    }

    /// The same, with another program in the place of the kernels.
    ///
    /// @param example whose main method calls this
    /// @param app has the name and the functions of [PingPongKernels]
    static void run(Class<?> example, DpaApp<DpaThread> app, String[] words) throws Exception {
        Exchange.run(
                example, words, (peer, _) -> play(peer, app, 0), (peer, _) -> play(peer, app, 1));
    }

    private static void play(Exchange peer, DpaApp<DpaThread> app, int isPing) throws Exception {
        try (Device card = Fabric.open(peer.deviceUri());
                DocaDev dev = DocaDev.of(card);
                DocaDpa dpa = dpa(dev, card, app);
                SyncEvent done =
                        new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start()) {
            DpaAddr side = dpa.memAlloc((long) PingPongKernels.SIDE_WORDS * Long.BYTES);
            DpaAddr storage = dpa.memAlloc(PingPongKernels.STORAGE_BYTES);
            store(dpa, storage, isPing, 0);
            DpaAddr block = dpa.memAlloc(2L * PingPongKernels.MESSAGE_BYTES);
            try (Mmap messages = messages(dev, dpa, block);
                    DocaDpaCompletion completions = DocaDpaCompletion.create(dpa, 16).start();
                    DocaDpaThread thread =
                            DocaDpaThread.create(dpa)
                                    .function(PingPongKernelsStub.play, side.value())
                                    .localStorage(storage)
                                    .start();
                    DocaDpaNotification go = DocaDpaNotification.create(dpa, thread).start();
                    Rdma rdma = new Rdma(dev).datapathOnDpa(dpa).completions(completions)) {
                rdma.start();
                store(
                        dpa,
                        side,
                        rdma.dpaHandle(),
                        messages.handle(dpa),
                        block.value(),
                        block.value() + PingPongKernels.MESSAGE_BYTES,
                        completions.handle(),
                        done.handle(dpa));
                thread.run();
                dpa.rpc(PingPongKernelsStub.receive(side));
                RdmaConnection connection = rdma.export();
                connection.connect(peer.swap(connection.details()));
                peer.meet();
                long start = System.nanoTime();
                dpa.rpc(PingPongKernelsStub.begin(side, go.handle(), isPing));
                done.waitGt(0, -1, Spin.PARK, LIMIT);
                String own = report(dpa, storage, isPing, System.nanoTime() - start);
                String other = new String(peer.swap(own.getBytes(UTF_8)), UTF_8);
                if (isPing == 0) {
                    System.out.println(own + System.lineSeparator() + other);
                }
            }
        }
    }

    private static String report(DocaDpa dpa, DpaAddr storage, int isPing, long nanos) {
        return "%s: %d messages came, %d of them wrong, %d us for each and its answer"
                .formatted(
                        isPing == 1 ? "ping" : "pong",
                        load(dpa, storage.plus(PingPongKernels.COUNT)),
                        load(dpa, storage.plus(PingPongKernels.WRONG)),
                        nanos / 1000 / PingPongKernels.MESSAGES);
    }

    private static DocaDpa dpa(DocaDev dev, Device card, DpaApp<DpaThread> app) {
        DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast(), card);
        return DocaDpa.create(dev, device).app(app).start();
    }

    private static Mmap messages(DocaDev dev, DocaDpa dpa, DpaAddr block) {
        return Mmap.builder()
                .device(dev)
                .memrange(dpa, block.value(), 2L * PingPongKernels.MESSAGE_BYTES)
                .permissions(AccessFlag.LOCAL_READ_WRITE)
                .build()
                .start();
    }

    private static void store(DocaDpa dpa, DpaAddr to, long... words) {
        try (Arena arena = Arena.ofConfined()) {
            dpa.copyToDpa(to, arena.allocateFrom(ValueLayout.JAVA_LONG, words));
        }
    }

    private static long load(DocaDpa dpa, DpaAddr from) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG);
            dpa.copyFromDpa(to, from);
            return to.get(ValueLayout.JAVA_LONG, 0);
        }
    }
}
