package dev.outboard.fabric.sim;

import dev.outboard.fabric.drive.Drivers;
import dev.outboard.fabric.drive.Engine;
import dev.outboard.fabric.drive.ThreadDrivers;
import dev.outboard.fabric.memory.Placement;
import dev.outboard.fabric.roce.device.NetworkSite;
import dev.outboard.fabric.roce.io.Route;
import dev.outboard.fabric.roce.transport.EthernetPort;
import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.TransmitListener;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.sim.network.FrameBuffer;
import dev.outboard.fabric.sim.network.FrameReader;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.sim.network.SimulatedNetwork.Datagram;
import dev.outboard.fabric.sim.network.SimulatedNetwork.Node;
import java.net.InetAddress;
import java.util.Map;
import java.util.Random;

/// The place of a device on a simulated network.
final class SimSite implements NetworkSite {
    /// As much as cards of the kind have.
    static final long DEVICE_MEMORY_BYTES = 256 << 10;

    private static final int MAX_DATAGRAMS = 16;
    private static final int MAX_FRAMES = 32;

    /// A datagram in the inbox, headers included.
    private static final int BYTES_PER_DATAGRAM = 4352;

    private static final int MAX_BUFFER_BYTES = 8 << 20;

    private final SharedNetwork network;
    private final Gid address;
    private final DatagramSink sink;
    private final DatagramReader reader;
    private final FrameBuffer frames;
    private final FrameReader frameReader;
    private TransmitListener listener = TransmitListener.INDIFFERENT;
    private final SimMemory memory;
    private long lastTurnNanos;
    private volatile boolean woken;
    private volatile long sent;
    private volatile long batches;
    private volatile long received;
    private volatile long sentFrames;
    private volatile long receivedFrames;

    /// A place on the network that `options` name.
    SimSite(SimOptions options) {
        network = SharedNetwork.join(options);
        address = Gid.of(options.address());
        sink = new DatagramSink(MAX_DATAGRAMS, options.pathMtu().bytes());
        reader = new DatagramReader(address, Path.DESTINATION_PORT);
        frames = new FrameBuffer(SwitchPorts.addressOf(address), MAX_FRAMES);
        frameReader = new FrameReader(frames.address(), address, reader);
        memory = new SimMemory(new Random(~network.options().seed() ^ address.hashCode()));
    }

    SharedNetwork network() {
        return network;
    }

    @Override
    public void attach(TransmitListener newListener) {
        listener = newListener;
        sink.attach(newListener);
    }

    @Override
    public Drivers drivers(Engine engine, String name) {
        if (network.clock() == SimClock.REAL) {
            network.attach(address, new OwnThreads());
            return ThreadDrivers.start(engine, name);
        }
        SimDrivers drivers = new SimDrivers(engine, network, address);
        network.attach(address, new Turns(engine, drivers));
        return drivers;
    }

    @Override
    public int receiveBufferBytes() {
        long bytes = (long) BYTES_PER_DATAGRAM * network.options().faults().inboxDatagrams();
        return (int) Math.min(MAX_BUFFER_BYTES, bytes);
    }

    @Override
    public String problemTowards(InetAddress destination) {
        return Route.mismatch(address.toInetAddress(), destination);
    }

    @Override
    public long nowNanos() {
        return network.nowNanos();
    }

    @Override
    public void await(long nanos) {
        network.awaitMail(address, () -> woken, nanos);
        woken = false;
    }

    @Override
    public void wake() {
        woken = true;
        network.signal();
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time drives
    public int receive(int messages, long nowNanos, PacketHandler handler) {
        for (int i = 0; i < messages; i++) {
            Datagram<Gid> mail = network.poll(address);
            if (mail == null) {
                return i;
            }
            if (mail.isFrame()) {
                receivedFrames += frameReader.read(mail.bytes(), handler, nowNanos) ? 1 : 0;
                continue;
            }
            Packet packet = reader.read(mail.from(), mail.bytes());
            if (packet != null) {
                received++;
                handler.packet(packet, nowNanos);
            }
        }
        return messages;
    }

    @Override
    public PacketSink sink() {
        return sink;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time drives
    public void flush(long nowNanos) {
        if (sink.count() > 0) {
            batches++;
        }
        for (int i = 0; i < sink.count(); i++) {
            Path path = sink.path(i);
            if (network.send(path, sink.bytes(i))) {
                sent++;
            } else {
                listener.tooLong(path);
            }
        }
        sink.clear();
        for (int i = 0; i < frames.count(); i++) {
            network.sendFrame(address, frames.bytes(i));
            sentFrames++;
        }
        frames.clear();
        memory.step();
        lastTurnNanos = nowNanos;
    }

    /// When more of what was written can be seen.
    @Override
    public long deadlineNanos() {
        return memory.isEmpty() ? Long.MAX_VALUE : lastTurnNanos + SimMemory.STEP_NANOS;
    }

    @Override
    public long deviceMemoryBytes() {
        return DEVICE_MEMORY_BYTES;
    }

    @Override
    public EthernetPort ethernet() {
        return frames;
    }

    @Override
    public Placement placement() {
        return memory;
    }

    @Override
    public void countersTo(Map<String, Long> counters) {
        counters.put("sent.packets", sent);
        counters.put("sent.calls", batches);
        counters.put("sent.unreadable", sink.unreadable());
        counters.put("received.packets", received);
        counters.put("sent.frames", sentFrames);
        counters.put("received.frames", receivedFrames);
        counters.put("discarded.bad-frame-check", frameReader.damaged());
        counters.put("received.buffer-bytes", (long) receiveBufferBytes());
        reader.flaws().copyTo(counters, "discarded.");
    }

    @Override
    public void close() {
        network.leave(address);
    }

    /// The network gives no turns.
    private static final class OwnThreads implements Node {
        @Override
        public long deadlineNanos() {
            return SimulatedNetwork.NEVER;
        }

        @Override
        public void turn(long nowNanos) {}
    }

    /// The network gives a turn when something has arrived or is due.
    private final class Turns implements Node {
        /// How many turns a device may have at one instant. One whose work never ends would stop
        /// the time of all.
        private static final int MOST_AT_ONCE = 100;

        /// What so many turns take.
        private static final long BUSY_NANOS = 1_000;

        private final Engine engine;
        private final SimDrivers drivers;
        private boolean hasMailLeft;
        private long instantNanos = Long.MIN_VALUE;
        private int atOnce;

        Turns(Engine engine, SimDrivers drivers) {
            this.engine = engine;
            this.drivers = drivers;
        }

        @Override
        public long deadlineNanos() {
            long deadline = hasMailLeft ? Long.MIN_VALUE : engine.deadlineNanos();
            return atOnce < MOST_AT_ONCE ? deadline : Math.max(deadline, instantNanos + BUSY_NANOS);
        }

        /// Another thread may be at it.
        @Override
        public void turn(long nowNanos) {
            atOnce = nowNanos == instantNanos ? atOnce + 1 : 1;
            instantNanos = nowNanos;
            long before;
            do {
                before = received + receivedFrames;
                drivers.turn();
                hasMailLeft = network.hasMail(address);
            } while (hasMailLeft && received + receivedFrames > before);
        }
    }
}
