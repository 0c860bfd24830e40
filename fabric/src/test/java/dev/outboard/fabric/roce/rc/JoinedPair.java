package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.IcrcVerifier;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.Sender;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.SplittableRandom;

/// Two connected queue pairs with a perfect wire between them, for tests that need many packets.
/// Every packet is a whole datagram, built and checked; nothing is allocated for it.
final class JoinedPair {
    private static final int MAX_DATAGRAMS = 64;
    private static final int DOMAIN = 7;
    private static final int[] QPNS = {0x11, 0x22};
    private static final Gid[] ADDRESSES = {Gid.ofIpv4(0x7F000002), Gid.ofIpv4(0x7F000003)};

    final RegionTable regions = new RegionTable(16, new SplittableRandom(1));
    final CompletionRing[] sendCompletions = new CompletionRing[2];
    final CompletionRing[] receiveCompletions = new CompletionRing[2];
    final RcQueuePair[] queuePairs = new RcQueuePair[2];

    private final Path[] paths = new Path[2];
    private final Sender[] senders = new Sender[2];
    private final DatagramSink[] sinks = new DatagramSink[2];
    private final IcrcVerifier verifier = new IcrcVerifier(IcrcVerifier.Policy.STRICT);
    private final Packet packet = new Packet();
    private long nowNanos;

    JoinedPair(int mtu, QueueSizes sizes) {
        for (int end = 0; end < 2; end++) {
            paths[end] = new Path(ADDRESSES[end], ADDRESSES[1 - end], QueuePairs.UDP_PORT, 0);
            senders[end] = new Sender(paths[end]);
            sinks[end] = new DatagramSink(MAX_DATAGRAMS);
            sendCompletions[end] = new CompletionRing(sizes.sends(), ring -> {});
            receiveCompletions[end] = new CompletionRing(sizes.receives(), ring -> {});
            queuePairs[end] =
                    QueuePairs.initialized(
                            QPNS[end],
                            DOMAIN,
                            regions,
                            sendCompletions[end],
                            receiveCompletions[end],
                            sizes);
        }
        for (int end = 0; end < 2; end++) {
            queuePairs[end].connect(
                    RcConnection.builder(paths[end])
                            .destinationQpn(QPNS[1 - end])
                            .pathMtuBytes(mtu)
                            .sendPsn(end)
                            .receivePsn(1 - end)
                            .minRnrTimerCode(12)
                            .ackTimeoutCode(14)
                            .retryCount(7)
                            .rnrRetryCount(7)
                            .maxReadAtomic(16)
                            .maxDestinationReadAtomic(16)
                            .build());
        }
    }

    RegisteredRegion region(MemorySegment segment) {
        return regions.register(DOMAIN, segment, Set.of(Access.values()));
    }

    /// Carries packets to and fro until nobody has anything to send.
    void exchange() {
        boolean isBusy = true;
        while (isBusy) {
            nowNanos += 1_000;
            isBusy = carry(0);
            isBusy |= carry(1);
        }
    }

    /// Moves the clock to the next deadline, if there is one, and runs the timers.
    void runTimers() {
        long next = Math.min(queuePairs[0].deadlineNanos(), queuePairs[1].deadlineNanos());
        if (next != Long.MAX_VALUE) {
            nowNanos = Math.max(nowNanos, next);
            queuePairs[0].onTimer(nowNanos);
            queuePairs[1].onTimer(nowNanos);
        }
    }

    private boolean carry(int from) {
        DatagramSink sink = sinks[from];
        queuePairs[from].transmit(sink, nowNanos);
        for (int i = 0; i < sink.count(); i++) {
            int length = sink.length(i);
            long at = sink.offset(i);
            if (packet.wrap(sink.memory().segment(), at, length) != null
                    || verifier.verify(senders[from], sink.memory(), at, length) < 0) {
                throw new AssertionError("malformed: " + packet);
            }
            queuePairs[1 - from].receive(packet, nowNanos);
        }
        boolean carried = sink.count() > 0;
        sink.clear();
        return carried;
    }

    void assertNothingIsRetransmitted() {
        for (RcQueuePair queuePair : queuePairs) {
            assertThat(queuePair.counters().get(QueuePairCounter.RETRANSMITS)).isZero();
        }
    }
}
