package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;

/// A process that owns a sync event: connects to a peer, prints what that needs, and from then on
/// calls nothing but waits, printing what ended them, until it is killed.
final class SyncEventOwner {
    static final long FIRST = 1;
    static final long LAST = 1L << 40;

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private SyncEventOwner() {}

    /// Starts it, on a device that `uri` names, for the peer with these `details`.
    static Process start(String uri, byte[] details) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SyncEventOwner.class.getName(),
                        uri,
                        HexFormat.of().formatHex(details))
                .start();
    }

    static void main(String... args) throws InterruptedException {
        HexFormat hex = HexFormat.of();
        try (DocaDev dev = DocaDev.open(DocaDevInfo.of(args[0]));
                SyncEvent event =
                        new SyncEvent(dev)
                                .publisher(Location.REMOTE_NET)
                                .subscriber(Location.CPU)
                                .start();
                ProgressEngine engine = ProgressEngine.create();
                Rdma rdma = new Rdma(dev)) {
            rdma.permissions(AccessFlag.RDMA_WRITE, AccessFlag.RDMA_ATOMIC).attach(engine).start();
            RdmaConnection peer = rdma.export();
            peer.connect(hex.parseHex(args[1]));
            while (rdma.state() != CtxState.RUNNING) {
                engine.progress();
            }
            IO.println("event " + hex.formatHex(event.exportToRemoteNet()));
            IO.println("details " + hex.formatHex(peer.details()));
            IO.println("first " + event.waitEq(FIRST, -1, Spin.PARK, LIMIT));
            IO.println("last " + event.waitGt(LAST - 1, -1, Spin.PARK, LIMIT));
            IO.readln();
        }
    }
}
