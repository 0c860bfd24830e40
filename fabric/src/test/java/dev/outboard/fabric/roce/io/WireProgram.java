package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.linux.Tun;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.testkit.Golden;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.HexFormat;

/// Runs in a network of its own: sends packets through a TUN interface and prints what came out.
/// The addresses and most of the packets are those of the golden ones from an unprivileged socket.
final class WireProgram {
    static final String INTERFACE = "roce0";
    static final InetAddress LOCAL = Loopback.address(10, 77, 0, 100);
    static final InetAddress REMOTE = Loopback.address(10, 77, 0, 1);
    static final int IP_MTU = 1500;

    private static final int HEADERS = 20 + 8;

    private final Traffic.Listener listener = new Traffic.Listener();
    private final UdpSocket socket = UdpSocket.bind(LOCAL, Path.DESTINATION_PORT);
    private final Transmitter transmitter = Transmitter.open(socket, listener);
    private final Path path = new Path(Gid.of(LOCAL), Gid.of(REMOTE), socket.localPort(), 0);

    public static void main(String[] arguments) throws Throwable {
        try (Tun tun = new Tun(INTERFACE)) {
            new WireProgram().run(tun);
        }
    }

    private void run(Tun tun) throws IOException, InterruptedException {
        sendGolden("plain_rc_send_only");
        sendGolden("plain_gso_seg0");
        sendGolden("plain_gso_seg1");
        sendGolden("plain_gso_seg2");
        sendGolden("plain_rc_send_only");
        transmitter.flush(0);
        print("sendmsg calls", transmitter.counters().get(TransmitCounter.CALLS));
        for (int i = 0; i < 5; i++) {
            print("packet", HexFormat.of().formatHex(tun.next()));
        }

        Payload large = Traffic.payload(2 * 4096);
        Traffic.send(transmitter, path, 0, large, 0, 4096);
        transmitter.flush(0);
        print("too long alone", listener.tooLong.size() + " " + transmitter.lastRefusal());

        Traffic.send(transmitter, path, 1, large, 0, 4096);
        Traffic.send(transmitter, path, 2, large, 4096, 4096);
        transmitter.flush(0);
        print("too long in a run", listener.tooLong.size() + " " + transmitter.lastRefusal());

        // Nothing of the long ones comes before this one.
        sendGolden("plain_rc_send_only");
        transmitter.flush(0);
        print("packet", HexFormat.of().formatHex(tun.next()));
        fillTheSocket();
    }

    /// Slows the interface down to a crawl, so that what is sent stays in the socket's buffer.
    private void fillTheSocket() throws IOException, InterruptedException {
        String slow =
                "tc qdisc add dev %s root tbf rate 8kbit burst 2000 limit 10000000"
                        .formatted(INTERFACE);
        if (new ProcessBuilder(slow.split(" ")).start().waitFor() != 0) {
            return;
        }
        socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_SNDBUF, 1);
        long before = transmitter.counters().get(TransmitCounter.REFUSED);
        int finished = 0;
        Payload payload = Traffic.payload(1000);
        while (transmitter.hasRoom()) {
            Traffic.send(transmitter, path, finished++, payload);
        }
        print("full", transmitter.lastRefusal());
        print("dropped", transmitter.counters().get(TransmitCounter.REFUSED) - before);
        print("ended the turn early", finished < Transmitter.PACKETS_PER_FLUSH);
        transmitter.flush(0);
        print("room in the next turn", transmitter.hasRoom());
    }

    private void sendGolden(String name) {
        byte[] golden = Golden.packet(name);
        MemorySegment.copy(
                golden,
                HEADERS,
                transmitter.headerMemory(),
                ValueLayout.JAVA_BYTE,
                transmitter.headerOffset(),
                Bth.LENGTH);
        int length = golden.length - HEADERS - Bth.LENGTH - Icrc.LENGTH;
        MemorySegment payload = Arena.ofAuto().allocate(length);
        MemorySegment.copy(golden, HEADERS + Bth.LENGTH, payload, ValueLayout.JAVA_BYTE, 0, length);
        transmitter.append(Payload.of(payload), 0, length);
        transmitter.finish(path, Bth.LENGTH);
    }

    private static void print(String what, Object value) {
        System.out.println(what + ": " + value);
    }
}
