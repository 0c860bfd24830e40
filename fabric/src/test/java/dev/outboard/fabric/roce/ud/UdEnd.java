package dev.outboard.fabric.roce.ud;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.transport.Port;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.IcrcVerifier;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.Sender;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.QueueSizes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A datagram queue pair, ready to send, with all it needs around it, for tests that carry its
/// packets by hand. Its whole memory is one region.
final class UdEnd {
    static final int MTU = 1024;
    static final int DOMAIN = 7;
    static final int QUEUE_KEY = 0x1111_1111;
    static final int DEPTH = 128;
    static final int FIRST_PSN = 0xFFFFFF;

    private static final int REGION_BYTES = 1 << 16;

    final Gid gid;
    final RegionTable regions = new RegionTable(16, new SplittableRandom(1));
    final CompletionRing sendCompletions = new CompletionRing(2 * DEPTH, ring -> {});
    final CompletionRing receiveCompletions = new CompletionRing(DEPTH, ring -> {});
    final List<AsyncEvent.Type> events = new ArrayList<>();
    final UdQueuePair queuePair;
    final DatagramSink sink = new DatagramSink(DEPTH);
    final RegisteredRegion region = register(Arena.ofAuto().allocate(REGION_BYTES));

    private @Nullable Sender sender;
    private final IcrcVerifier verifier = new IcrcVerifier(IcrcVerifier.Policy.STRICT);
    private final Packet packet = new Packet();

    /// Why this end dropped the last datagram that it dropped.
    private @Nullable Discard lastDiscard;

    UdEnd(String address, int number) {
        gid = gid(address);
        QueuePairCore core =
                new QueuePairCore(
                        number,
                        DOMAIN,
                        regions,
                        sendCompletions,
                        receiveCompletions,
                        new QueueSizes(DEPTH, DEPTH, 4, 64),
                        Optional.empty(),
                        false,
                        events::add);
        queuePair = new UdQueuePair(core, new Port(gid, MTU), reason -> lastDiscard = reason);
        modify(QueuePairChange.to(QueuePairState.INIT).queueKey(QUEUE_KEY));
        modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE));
        modify(QueuePairChange.to(QueuePairState.READY_TO_SEND).sendPsn(FIRST_PSN));
    }

    void modify(QueuePairChange change) {
        queuePair.modify(change);
    }

    void modify(QueuePairState state) {
        modify(QueuePairChange.to(state));
    }

    RegisteredRegion register(MemorySegment segment) {
        return regions.register(DOMAIN, segment, Set.of(Access.LOCAL_WRITE));
    }

    UdAddressHandle handleTo(UdEnd peer) {
        return handleTo(peer, DOMAIN);
    }

    UdAddressHandle handleTo(UdEnd peer, int domain) {
        AddressVector vector = new AddressVector(peer.gid.toInetAddress(), 0x28, 0);
        Path path = new Path(gid, peer.gid, Path.DESTINATION_PORT, vector.trafficClass());
        return new UdAddressHandle(vector, path, domain, () -> {});
    }

    /// A send of the first `length` bytes of the region to `peer`.
    SendRequest sendTo(UdEnd peer, int length) {
        return new SendRequest()
                .send()
                .to(handleTo(peer), peer.queuePair.number(), QUEUE_KEY)
                .payload(region, 0, length);
    }

    void post(SendRequest request) {
        assertThat(queuePair.post(request)).isTrue();
    }

    /// Posts a receive of `length` bytes at `offset` of the region.
    void postReceive(long id, long offset, long length) {
        assertThat(queuePair.post(new ReceiveRequest().id(id).buffer(region, offset, length)))
                .isTrue();
    }

    /// Gives what is due to the sink, and returns whether the queue pair wants to be called again.
    boolean transmit() {
        return queuePair.transmit(sink, 0);
    }

    /// Takes `received`; returns why it was dropped, if it was.
    @Nullable Discard receive(Packet received) {
        lastDiscard = null;
        queuePair.receive(received, 0);
        return lastDiscard;
    }

    /// Carries all packets in the sink to `peer`; returns why the last one was dropped, if it was.
    @Nullable Discard carryTo(UdEnd peer) {
        Discard discard = null;
        for (int i = 0; i < sink.count(); i++) {
            discard = peer.receive(sent(i));
        }
        sink.clear();
        return discard;
    }

    /// Sends everything and carries it to `peer`, until nothing is left to do.
    @Nullable Discard exchange(UdEnd peer) {
        Discard discard = null;
        boolean more = true;
        while (more) {
            more = transmit();
            if (sink.count() > 0) {
                discard = carryTo(peer);
            }
        }
        return discard;
    }

    private Sender sender(Path path) {
        Sender known = sender;
        if (known == null || known.path() != path) {
            known = new Sender(path);
            sender = known;
        }
        return known;
    }

    /// The packet at `index` of the sink, checked; valid until the next call. Allocates nothing.
    Packet sent(int index) {
        Path path = sink.path(index);
        long at = sink.offset(index);
        int length = sink.length(index);
        if (packet.wrap(sink.memory().segment(), at, length) != null
                || verifier.verify(sender(path), sink.memory(), at, length) < 0) {
            throw new AssertionError("malformed: " + packet);
        }
        packet.from(gid.high(), gid.low(), path.sourcePort(), path.trafficClass());
        return packet;
    }

    Completion takeSent() {
        return take(sendCompletions);
    }

    Completion takeReceived() {
        return take(receiveCompletions);
    }

    void fill(long offset, byte[] content) {
        MemorySegment.copy(
                content, 0, region.segment(), ValueLayout.JAVA_BYTE, offset, content.length);
    }

    byte[] bytes(long offset, int length) {
        return region.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    static Gid gid(String address) {
        return Gid.of(InetAddress.ofLiteral(address));
    }

    static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(length).nextBytes(bytes);
        return bytes;
    }

    private static Completion take(CompletionRing ring) {
        Completion completion = new Completion();
        assertThat(ring.poll(completion)).as("a completion").isTrue();
        return completion;
    }
}
