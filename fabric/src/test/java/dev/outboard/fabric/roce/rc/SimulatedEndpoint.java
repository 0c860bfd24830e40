package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import java.util.SplittableRandom;

/// A device with one queue pair on a [SimulatedNetwork]: whole datagrams with their ICRC go in and
/// out, timers run in virtual time, and an application has a turn whenever it asks for one.
final class SimulatedEndpoint implements SimulatedNetwork.Node {
    static final int DOMAIN = 7;

    private static final int MAX_REGIONS = 16;
    private static final int MAX_DATAGRAMS = 64;

    /// What uses the queue pair.
    interface Application extends CompletionRing.Notification {
        /// When it wants a turn at the latest.
        long deadlineNanos();

        /// Looks at completions, posts.
        void turn(long nowNanos);
    }

    /// Sees every packet that the queue pair sends and every undamaged one that arrives.
    interface Watch {
        void sent(Packet packet, long nowNanos);

        void received(Packet packet, long nowNanos);
    }

    final RegionTable regions;
    final CompletionRing sendCompletions;
    final CompletionRing receiveCompletions;
    final RcQueuePair queuePair;

    private final SimulatedNetwork<Gid> network;
    private final Gid address;
    private final DatagramReader reader;
    private final DatagramSink sink = new DatagramSink(MAX_DATAGRAMS);
    private final Packet sentPacket = new Packet();
    private final Application application;
    private final Watch watch;
    private boolean hasMore;

    /// An endpoint on `network` with a queue pair in state INIT.
    SimulatedEndpoint(
            SimulatedNetwork<Gid> network,
            Gid address,
            int queuePairNumber,
            QueueSizes sizes,
            boolean separateCompletions,
            SplittableRandom random,
            Application application,
            Watch watch) {
        this.network = network;
        this.address = address;
        this.application = application;
        this.watch = watch;
        reader = new DatagramReader(address, QueuePairs.UDP_PORT);
        regions = new RegionTable(MAX_REGIONS, random);
        // As many as can be outstanding: an application that polls before it posts never needs
        // more.
        int both = sizes.sends() + sizes.receives();
        sendCompletions =
                new CompletionRing(separateCompletions ? sizes.sends() : both, application);
        receiveCompletions =
                separateCompletions
                        ? new CompletionRing(sizes.receives(), application)
                        : sendCompletions;
        queuePair =
                QueuePairs.initialized(
                        queuePairNumber,
                        DOMAIN,
                        regions,
                        sendCompletions,
                        receiveCompletions,
                        sizes);
        network.attach(address, this);
    }

    Gid address() {
        return address;
    }

    /// The way from one endpoint to another.
    static Path path(Gid from, Gid to) {
        return new Path(from, to, QueuePairs.UDP_PORT, 0);
    }

    /// Lets at most that many datagrams leave per turn.
    void limitDatagramsPerTurn(int count) {
        sink.limit(count);
    }

    @Override
    public long deadlineNanos() {
        return hasMore ? 0 : Math.min(queuePair.deadlineNanos(), application.deadlineNanos());
    }

    @Override
    public void turn(long nowNanos) {
        for (var mail = network.poll(address); mail != null; mail = network.poll(address)) {
            receive(mail, nowNanos);
        }
        if (nowNanos >= queuePair.deadlineNanos()) {
            queuePair.onTimer(nowNanos);
        }
        application.turn(nowNanos);
        transmit(nowNanos);
    }

    private void receive(SimulatedNetwork.Datagram<Gid> mail, long nowNanos) {
        Packet packet = reader.read(mail.from(), mail.bytes());
        RcConnection connection = queuePair.connection();
        if (packet != null
                && connection != null
                && packet.destinationQpn() == queuePair.number()
                && connection.path().destination().equals(mail.from())) {
            watch.received(packet, nowNanos);
            queuePair.receive(packet, nowNanos);
        }
    }

    private void transmit(long nowNanos) {
        hasMore = queuePair.transmit(sink, nowNanos);
        for (int i = 0; i < sink.count(); i++) {
            assertThat(sentPacket.wrap(sink.memory().segment(), sink.offset(i), sink.length(i)))
                    .isNull();
            watch.sent(sentPacket, nowNanos);
            network.send(address, sink.path(i).destination(), sink.bytes(i));
        }
        sink.clear();
    }
}
