package dev.outboard.dpa.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.ConnectionMode;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.dpacc.DpaAddr;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An RDMA context of the DPA with connections, memory of the DPA that peers may write and read,
/// and an event that they may signal.
final class RdmaEnd implements AutoCloseable {
    static final int QUEUE = 32;
    static final int BYTES = 1 << 16;

    final DocaDpa dpa;
    final Rdma rdma;
    final SyncEvent event;
    final DpaAddr memory;
    final Mmap mmap;
    final DocaDev dev;
    final Optional<DocaDpaCompletion> told;
    private final List<RdmaConnection> connections = new ArrayList<>();
    private final List<RemoteMmap> theirs = new ArrayList<>();

    /// @param count how many connections
    /// @param told where completions go
    RdmaEnd(DocaDev dev, DocaDpa dpa, int count, Optional<DocaDpaCompletion> told) {
        this.dev = dev;
        this.dpa = dpa;
        this.told = told;
        rdma =
                new Rdma(dev)
                        .datapathOnDpa(dpa)
                        .permissions(
                                AccessFlag.RDMA_WRITE, AccessFlag.RDMA_READ, AccessFlag.RDMA_ATOMIC)
                        .connectionMode(ConnectionMode.OPEN)
                        .maxNumConnections(count)
                        .mtu(256)
                        .sendQueueSize(QUEUE)
                        .recvQueueSize(QUEUE);
        told.ifPresent(rdma::completions);
        rdma.start();
        for (int i = 0; i < count; i++) {
            connections.add(rdma.export());
        }
        memory = DocaFixture.zeros(dpa, BYTES / Long.BYTES);
        mmap =
                Mmap.builder()
                        .device(dev)
                        .memrange(dpa, memory.value(), BYTES)
                        .permissions(
                                AccessFlag.LOCAL_READ_WRITE,
                                AccessFlag.RDMA_WRITE,
                                AccessFlag.RDMA_READ,
                                AccessFlag.RDMA_ATOMIC)
                        .build()
                        .start();
        event =
                new SyncEvent(dev)
                        .publisher(Location.REMOTE_NET)
                        .subscriber(dpa)
                        .subscriber(Location.CPU)
                        .start();
    }

    /// Connects one of its connections with one of another end.
    void connect(int connection, RdmaEnd peer, int peerConnection) {
        RdmaConnection own = connections.get(connection);
        RdmaConnection other = peer.connections.get(peerConnection);
        own.connect(other.details());
        other.connect(own.details());
    }

    /// What device code has to know of this end and of a peer: the words of [RdmaOrder] up to
    /// [RdmaOrder#ROUNDS].
    List<Long> towards(RdmaEnd peer) {
        RemoteMmap there = RemoteMmap.fromExport(dev, peer.mmap.exportRdma(peer.dev));
        theirs.add(there);
        return List.of(
                rdma.dpaHandle(),
                (long) mmap.handle(dpa),
                mmap.addressFor(dpa),
                (long) there.handle(dpa),
                there.addressFor(dpa),
                event(peer),
                event.handle(dpa));
    }

    /// What device code knows the event of a peer by.
    long event(RdmaEnd peer) {
        return SyncEventRemoteNet.fromExport(dev, peer.event.exportToRemoteNet()).handle(dpa);
    }

    @Override
    public void close() {
        theirs.forEach(RemoteMmap::close);
        rdma.close();
        event.close();
        mmap.close();
    }
}
