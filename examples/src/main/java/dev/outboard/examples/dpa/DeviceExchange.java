package dev.outboard.examples.dpa;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.BufArray;
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
import java.util.List;

/// The example of the DPA guide: two hosts with a DPA each, whose kernels write a buffer of their
/// host to that of the other one, tell it, and wait for it. The hosts connect them and launch a
/// kernel, and that is all they do.
///
/// ```
/// java … DeviceExchange ROUNDS PERCENT-OF-PACKETS-LOST
/// ```
public final class DeviceExchange {
    private static final int DEFAULT_ROUNDS = 2000;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private DeviceExchange() {}

    /// Becomes two processes on this machine, or one of them: see [Exchange].
    public static void main(String[] words) throws Exception {
        Exchange.run(
                DeviceExchange.class,
                words,
                (peer, arguments) -> play(peer, arguments, 1),
                (peer, arguments) -> play(peer, arguments, 2));
    }

    private static void play(Exchange peer, List<String> arguments, int seed) throws Exception {
        int rounds = arguments.isEmpty() ? DEFAULT_ROUNDS : Integer.parseInt(arguments.get(0));
        String loss = arguments.size() < 2 ? "0" : arguments.get(1);
        String uri = "%s&fault=loss=%s%%25,seed=%d".formatted(peer.deviceUri(), loss, seed);
        try (Device card = Fabric.open(uri);
                DocaDev dev = DocaDev.of(card);
                DocaDpa dpa = dpa(dev, card);
                Rdma rdma = new Rdma(dev).datapathOnDpa(dpa).permissions(AccessFlag.RDMA_WRITE);
                Mmap buffers = buffers(dev);
                BufArray local = array().params(buffers, ExchangeKernels.ELEMENT_BYTES, 0);
                SyncEvent written =
                        new SyncEvent(dev)
                                .publisher(Location.REMOTE_NET)
                                .subscriber(dpa)
                                .subscriber(Location.CPU)
                                .start();
                SyncEvent done =
                        new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start()) {
            rdma.start();
            local.targetDpa(dpa).start();
            RdmaConnection connection = rdma.export();
            connection.connect(peer.swap(connection.details()));
            byte[] event = peer.swap(written.exportToRemoteNet());
            try (RemoteMmap theirs =
                            RemoteMmap.fromExport(dev, peer.swap(buffers.exportRdma(dev)));
                    BufArray remote = array().params(theirs, ExchangeKernels.ELEMENT_BYTES, 0)) {
                remote.targetDpa(dpa).start();
                DpaAddr wrong = dpa.memAlloc(Long.BYTES);
                dpa.memset(wrong, 0, Long.BYTES);
                long start = System.nanoTime();
                dpa.launchUpdateAdd(
                        null,
                        0,
                        done,
                        1,
                        1,
                        ExchangeKernelsStub.exchange(
                                rdma.dpaHandle(),
                                local.dpaHandle(),
                                remote.dpaHandle(),
                                written.handle(dpa),
                                SyncEventRemoteNet.fromExport(dev, event).handle(dpa),
                                rounds,
                                seed,
                                wrong));
                done.waitGt(0, -1, Spin.PARK, LIMIT);
                long micros = (System.nanoTime() - start) / 1000;
                String own =
                        "%s: event %d of %d rounds, %d wrong words, %d us per round"
                                .formatted(
                                        seed == 1 ? "server" : "client",
                                        written.get(),
                                        rounds,
                                        word(dpa, wrong),
                                        micros / rounds);
                String other = new String(peer.swap(own.getBytes(UTF_8)), UTF_8);
                if (seed == 1) {
                    System.out.println(own + System.lineSeparator() + other);
                }
            }
        }
    }

    private static DocaDpa dpa(DocaDev dev, Device card) {
        DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast(), card);
        return DocaDpa.create(dev, device).app(ExchangeKernelsStub.APP).start();
    }

    private static BufArray array() {
        return BufArray.create(ExchangeKernels.ELEMENTS);
    }

    /// Memory of the host.
    private static Mmap buffers(DocaDev dev) {
        return Mmap.builder()
                .device(dev)
                .memrange((long) ExchangeKernels.ELEMENTS * ExchangeKernels.ELEMENT_BYTES)
                .permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_WRITE)
                .build()
                .start();
    }

    private static long word(DocaDpa dpa, DpaAddr at) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG);
            dpa.copyFromDpa(to, at);
            return to.get(ValueLayout.JAVA_LONG, 0);
        }
    }
}
