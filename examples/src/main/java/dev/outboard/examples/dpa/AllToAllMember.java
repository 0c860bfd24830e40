package dev.outboard.examples.dpa;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.ConnectionMode;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.dpa.doca.DocaDpa;
import dev.outboard.dpacc.DpaAddr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A member of an all-to-all, whose ranks are the threads of one kernel: its host part. A thread of
/// the DPA uses an RDMA context alone, so each rank has one, with a connection to each member: to
/// the context of the rank there that has the same place.
final class AllToAllMember implements AutoCloseable {
    private static final int QUEUE = 16;
    private static final int EVENTS = 2;

    private final DocaDev dev;
    private final DocaDpa dpa;
    private final int members;
    private final int number;
    private final int ranks;
    private final long setBytes;
    private final DpaAddr words;
    private final DpaAddr buffers;
    private final Mmap mmap;
    private final SyncEvent done;
    private final List<Rank> own = new ArrayList<>();
    private final List<RemoteMmap> theirs = new ArrayList<>();

    /// A rank of this member.
    private final class Rank implements AutoCloseable {
        private final List<SyncEvent> events = new ArrayList<>();
        private final List<RdmaConnection> connections = new ArrayList<>();
        private final Rdma rdma;

        Rank() {
            for (int i = 0; i < EVENTS; i++) {
                events.add(
                        new SyncEvent(dev).publisher(Location.REMOTE_NET).subscriber(dpa).start());
            }
            rdma =
                    new Rdma(dev)
                            .datapathOnDpa(dpa)
                            .permissions(AccessFlag.RDMA_WRITE, AccessFlag.RDMA_ATOMIC)
                            .connectionMode(ConnectionMode.OPEN)
                            .maxNumConnections(members)
                            .sendQueueSize(QUEUE);
            rdma.start();
            for (int i = 0; i < members; i++) {
                connections.add(rdma.export());
            }
        }

        @Override
        public void close() {
            rdma.close();
            events.forEach(SyncEvent::close);
        }
    }

    /// @param members how many there are
    /// @param number which this one is, from 0 on
    /// @param ranks how many each member has
    AllToAllMember(DocaDev dev, DocaDpa dpa, int members, int number, int ranks) {
        this.dev = dev;
        this.dpa = dpa;
        this.members = members;
        this.number = number;
        this.ranks = ranks;
        int all = members * ranks;
        setBytes = 2L * all * AllToAllKernels.BLOCK_BYTES;
        words =
                dpa.memAlloc(
                        AllToAllKernels.MEMBER_BYTES
                                + (long) ranks * AllToAllKernels.OWN_BYTES
                                + (long) all * AllToAllKernels.ANY_BYTES);
        // What comes in, for each rank, and then what goes out.
        long bytes = 2L * ranks * setBytes;
        buffers = dpa.memAlloc(bytes);
        dpa.memset(buffers, 0, (int) bytes);
        mmap =
                Mmap.builder()
                        .device(dev)
                        .memrange(dpa, buffers.value(), bytes)
                        .permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_WRITE)
                        .build()
                        .start();
        done = new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start();
        for (int i = 0; i < ranks; i++) {
            own.add(new Rank());
        }
    }

    /// What all members have to know of this one: its memory, and of each rank its events and how
    /// to connect with it.
    List<byte[]> introduction() {
        List<byte[]> parts = new ArrayList<>();
        parts.add(mmap.exportRdma(dev));
        for (Rank rank : own) {
            rank.events.forEach(event -> parts.add(event.exportToRemoteNet()));
            rank.connections.forEach(connection -> parts.add(connection.details()));
        }
        return parts;
    }

    /// Connects with all.
    ///
    /// @param introductions of all members, by their numbers
    void connect(List<List<byte[]>> introductions, int rounds) {
        int partsOfRank = EVENTS + members;
        for (int i = 0; i < ranks; i++) {
            for (int member = 0; member < members; member++) {
                byte[] peer = introductions.get(member).get(1 + i * partsOfRank + EVENTS + number);
                own.get(i).connections.get(member).connect(peer);
            }
        }
        List<Long> values = new ArrayList<>();
        describeMember(values, rounds);
        for (List<byte[]> introduction : introductions) {
            RemoteMmap memory = RemoteMmap.fromExport(dev, introduction.getFirst());
            theirs.add(memory);
            for (int i = 0; i < ranks; i++) {
                values.add((long) memory.handle(dpa));
                values.add(memory.addressFor(dpa) + i * setBytes);
                for (int event = 0; event < EVENTS; event++) {
                    byte[] export = introduction.get(1 + i * partsOfRank + event);
                    values.add(SyncEventRemoteNet.fromExport(dev, export).handle(dpa));
                }
            }
        }
        try (Arena arena = Arena.ofConfined()) {
            long[] all = values.stream().mapToLong(Long::longValue).toArray();
            dpa.copyToDpa(words, arena.allocateFrom(ValueLayout.JAVA_LONG, all));
        }
    }

    private void describeMember(List<Long> values, int rounds) {
        values.add((long) members * ranks);
        values.add((long) number * ranks);
        values.add((long) ranks);
        values.add((long) rounds);
        values.add((long) mmap.handle(dpa));
        fillUp(values, AllToAllKernels.MEMBER_BYTES);
        for (int i = 0; i < ranks; i++) {
            Rank rank = own.get(i);
            values.add(rank.rdma.dpaHandle());
            values.add(mmap.addressFor(dpa) + (ranks + i) * setBytes);
            values.add(mmap.addressFor(dpa) + i * setBytes);
            rank.events.forEach(event -> values.add(event.handle(dpa)));
            fillUp(values, AllToAllKernels.OWN_BYTES);
        }
    }

    private static void fillUp(List<Long> values, int multipleBytes) {
        while (values.size() * Long.BYTES % multipleBytes != 0) {
            values.add(0L);
        }
    }

    /// Launches the kernel, once all are connected.
    void launch() {
        dpa.launchUpdateAdd(null, 0, done, 1, ranks, AllToAllKernelsStub.exchange(words));
    }

    /// Waits until all ranks here have been through all rounds.
    ///
    /// @return how many words were others than expected
    long await(Duration limit) throws InterruptedException {
        done.waitGt(0, -1, Spin.PARK, limit);
        long bad = 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG);
            for (int i = 0; i < ranks; i++) {
                int at = AllToAllKernels.MEMBER_BYTES + i * AllToAllKernels.OWN_BYTES;
                dpa.copyFromDpa(to, words.plus(at + AllToAllKernels.BAD_WORDS));
                bad += to.get(ValueLayout.JAVA_LONG, 0);
            }
        }
        return bad;
    }

    /// Once all members have been through all rounds.
    @Override
    public void close() {
        theirs.forEach(RemoteMmap::close);
        own.forEach(Rank::close);
        done.close();
        mmap.close();
        dpa.memFree(buffers);
        dpa.memFree(words);
    }
}
