package dev.outboard.node.watch;

import dev.outboard.dpa.trace.Trace;
import dev.outboard.dpa.trace.Tracer;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.PacketWatch;
import dev.outboard.fabric.WatchedPacket;
import dev.outboard.naa.RpcId;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.OptionalInt;

/// The packets of a device in a trace for Perfetto, on a track for what each queue pair sends and
/// one for what it receives. Packets of the middle of a message that follow each other are shown as
/// one slice. The packet that calls, and the one that brings the return code, are joined with the
/// RPC. Any thread may use it.
public final class NicTrace implements PacketWatch, AutoCloseable {
    /// How many packets and runs of packets it holds: about 30 MB.
    static final int MOST_EVENTS = 1 << 17;

    private final Device device;
    private final Trace trace = Tracer.monotonic().start(MOST_EVENTS);
    private final String group;
    private final Map<Way, Line> lines = new HashMap<>();
    private final Map<Integer, InetSocketAddress> clients = new HashMap<>();

    /// What goes one way.
    private record Way(int queuePair, boolean isSent) {}

    /// Watches a device until it is closed, and nobody else does.
    public NicTrace(Device device) {
        this.device = device;
        group = "NIC " + device.address().getHostAddress();
        device.watchPackets(this);
    }

    /// The trace.
    public Trace trace() {
        return trace;
    }

    /// A queue pair is of a connection on which no RPC has begun: they are called by what a client
    /// calls them from now on.
    ///
    /// @param client from where it has connected
    public synchronized void connected(OptionalInt queuePair, InetSocketAddress client) {
        if (queuePair.isPresent() && !trace.isFull()) {
            int number = queuePair.getAsInt();
            clients.put(number, client);
            line(new Way(number, true)).calls = 0;
            line(new Way(number, false)).calls = 0;
        }
    }

    private Line line(Way way) {
        return lines.computeIfAbsent(way, Line::new);
    }

    @Override
    public synchronized void packet(WatchedPacket packet) {
        long now = trace.now();
        if (trace.isFull()) {
            trace.slice(group, "lost", packet.opcode(), now, now, 0);
            return;
        }
        Line line = line(new Way(packet.queuePairNumber(), packet.isSent()));
        if (!line.goesOn(packet)) {
            line.end();
            line.begin(packet, now);
        }
        line.add(packet, now);
        if (!packet.isMiddle()) {
            line.end();
        }
    }

    /// Ends it, and watches the device no more.
    @Override
    public void close() {
        device.watchPackets(PacketWatch.NONE);
        synchronized (this) {
            lines.values().forEach(Line::end);
            trace.close();
        }
    }

    /// A packet, or several that follow each other.
    private final class Line {
        private final int queuePair;
        private final String track;

        /// How many RPCs have begun or ended on it.
        private long calls;

        private int count;
        private String opcode = "";
        private boolean isAgain;
        private int firstNumber;
        private int lastNumber;
        private long bytes;
        private long fromNanos;
        private long toNanos;
        private long flow;

        private Line(Way way) {
            queuePair = way.queuePair;
            track =
                    "%s by queue pair 0x%06x"
                            .formatted(way.isSent ? "sent" : "received", way.queuePair);
        }

        private boolean goesOn(WatchedPacket packet) {
            return count > 0
                    && packet.isMiddle()
                    && packet.isNext()
                    && packet.isAgain() == isAgain
                    && packet.opcode().equals(opcode);
        }

        private void begin(WatchedPacket packet, long now) {
            opcode = packet.opcode();
            isAgain = packet.isAgain();
            firstNumber = packet.packetSequenceNumber();
            fromNanos = now;
            flow = packet.hasImmediate() && !isAgain ? nextCall() : 0;
        }

        private long nextCall() {
            calls++;
            InetSocketAddress client = clients.get(queuePair);
            return client == null ? 0 : RpcId.of(client, calls);
        }

        private void add(WatchedPacket packet, long now) {
            count++;
            lastNumber = packet.packetSequenceNumber();
            bytes += packet.payloadBytes();
            toNanos = now;
        }

        private void end() {
            if (count > 0) {
                trace.slice(group, track, name(), fromNanos, toNanos, flow);
            }
            count = 0;
            bytes = 0;
        }

        private String name() {
            String again = isAgain ? " again" : "";
            String first = HexFormat.of().toHexDigits(firstNumber, 6);
            if (count == 1) {
                return "%s%s, PSN %s, %d bytes".formatted(opcode, again, first, bytes);
            }
            String last = HexFormat.of().toHexDigits(lastNumber, 6);
            return "%s%s ×%d, PSN %s–%s, %d bytes"
                    .formatted(opcode, again, count, first, last, bytes);
        }
    }
}
