package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// A device on a [SimulatedNetwork] whose memory its peers use through one queue pair each, while
/// no application does anything.
final class SharedMemoryServer implements SimulatedNetwork.Node {
    private static final int MAX_DATAGRAMS = 64;
    private static final int FIRST_QPN = 0x100;

    final RegisteredRegion memory;

    private final SimulatedNetwork<Gid> network;
    private final Gid address;
    private final RegionTable regions;
    private final DatagramReader reader;
    private final DatagramSink sink = new DatagramSink(MAX_DATAGRAMS);
    private final Packet sentPacket = new Packet();
    private final List<RcQueuePair> queuePairs = new ArrayList<>();
    private final List<WireWatch> watches = new ArrayList<>();
    private int firstServed;
    private boolean hasMore;

    SharedMemoryServer(
            SimulatedNetwork<Gid> network,
            Gid address,
            MemorySegment shared,
            SplittableRandom random) {
        this.network = network;
        this.address = address;
        reader = new DatagramReader(address, QueuePairs.UDP_PORT);
        regions = new RegionTable(1, random);
        memory =
                regions.register(
                        SimulatedEndpoint.DOMAIN,
                        shared,
                        Set.of(
                                Access.LOCAL_WRITE,
                                Access.REMOTE_WRITE,
                                Access.REMOTE_READ,
                                Access.REMOTE_ATOMIC));
        network.attach(address, this);
    }

    /// The number of the queue pair for client `index`.
    static int queuePairNumber(int index) {
        return FIRST_QPN + index;
    }

    /// Serves one more client.
    void serve(RcConnection connection) {
        RcQueuePair queuePair =
                QueuePairs.initialized(
                        queuePairNumber(queuePairs.size()),
                        SimulatedEndpoint.DOMAIN,
                        regions,
                        new CompletionRing(1, ring -> {}),
                        new CompletionRing(1, ring -> {}),
                        new QueueSizes(1, 1, 1, 0));
        queuePair.connect(connection);
        queuePairs.add(queuePair);
        watches.add(new WireWatch(connection));
    }

    /// Lets at most that many datagrams leave per turn.
    void limitDatagramsPerTurn(int count) {
        sink.limit(count);
    }

    @Override
    public long deadlineNanos() {
        return hasMore ? 0 : SimulatedNetwork.NEVER;
    }

    @Override
    public void turn(long nowNanos) {
        for (var mail = network.poll(address); mail != null; mail = network.poll(address)) {
            Packet packet = reader.read(mail.from(), mail.bytes());
            int index = packet == null ? -1 : packet.destinationQpn() - FIRST_QPN;
            if (packet != null && index >= 0 && index < queuePairs.size()) {
                watches.get(index).received(packet, nowNanos);
                queuePairs.get(index).receive(packet, nowNanos);
            }
        }
        hasMore = false;
        for (int i = 0; i < queuePairs.size(); i++) {
            transmit((firstServed + i) % queuePairs.size(), nowNanos);
        }
        firstServed = (firstServed + 1) % queuePairs.size();
    }

    private void transmit(int index, long nowNanos) {
        hasMore |= queuePairs.get(index).transmit(sink, nowNanos);
        for (int i = 0; i < sink.count(); i++) {
            assertThat(sentPacket.wrap(sink.memory().segment(), sink.offset(i), sink.length(i)))
                    .isNull();
            watches.get(index).sent(sentPacket, nowNanos);
            network.send(address, sink.path(i).destination(), sink.bytes(i));
        }
        sink.clear();
    }
}
