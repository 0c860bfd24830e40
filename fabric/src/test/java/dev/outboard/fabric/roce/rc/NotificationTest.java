package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Marks of the network and congestion notification packets, both ways (roce.md 6).
class NotificationTest {
    private static final int DOMAIN = 7;
    private static final int MESSAGE_BYTES = 1 << 16;
    private static final int NOT_MARKED = NotificationPoint.ECN_CAPABLE;
    private static final int MARKED = NotificationPoint.CONGESTION_EXPERIENCED;
    private static final Gid LOCAL = Gid.ofIpv4(0x7F000002);
    private static final Gid PEER = Gid.ofIpv4(0x7F000003);

    private final RegionTable regions = new RegionTable(16, new SplittableRandom(1));
    private final RegisteredRegion region =
            regions.register(
                    DOMAIN,
                    Arena.ofAuto().allocate(MESSAGE_BYTES),
                    Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
    private final CompletionRing completions = new CompletionRing(64, ring -> {});
    private final DatagramSink sink = new DatagramSink(256);
    private final DatagramSink peerSink = new DatagramSink(1);
    private final Packet packet = new Packet();
    private final Path reversePath = new Path(PEER, LOCAL, QueuePairs.UDP_PORT, 0);
    private long now = 1_000_000_000;
    private int psn;

    /// A packet as it left.
    private record Sent(Opcode opcode, int psn, boolean becn, int payloadBytes, int trafficClass) {}

    @Test
    @Requirement("ROCE-CC-2")
    void answersMarksWithOneNotificationPerInterval() {
        RcQueuePair queuePair = queuePair(true);

        assertThat(notifications(arrive(queuePair, NOT_MARKED))).isEmpty();
        assertThat(notifications(arrive(queuePair, MARKED))).hasSize(1);
        now += NotificationPoint.INTERVAL_NANOS - 1;
        assertThat(notifications(arrive(queuePair, MARKED))).isEmpty();
        now += 1;
        assertThat(notifications(arrive(queuePair, MARKED))).hasSize(1);
        assertThat(queuePair.counters().get(QueuePairCounter.NOTIFICATIONS_SENT)).isEqualTo(2);
    }

    /// Nobody slows acknowledgements down.
    @Test
    void marksOnPacketsWithoutDataMeanNothing() {
        RcQueuePair queuePair = queuePair(true);

        deliver(queuePair, TestPacket.of(Opcode.WRITE_ONLY, 0), MARKED);

        assertThat(notifications(transmit(queuePair))).isEmpty();
    }

    @Test
    void aNotificationWaitsForRoomAndGoesAheadOfTheAcknowledgement() {
        RcQueuePair queuePair = queuePair(true);
        TestPacket write =
                TestPacket.of(Opcode.WRITE_ONLY, 0)
                        .ackRequest()
                        .target(region.address(), region.remoteKey(), 8)
                        .payload(new byte[8]);
        deliver(queuePair, write, MARKED);

        sink.limit(0);
        assertThat(queuePair.transmit(sink, now)).as("more is owed").isTrue();
        sink.limit(2);

        assertThat(transmit(queuePair))
                .extracting(Sent::opcode)
                .containsExactly(Opcode.CNP, Opcode.ACKNOWLEDGE);
    }

    /// As in the golden packets: BECN, PSN 0, 16 zero bytes, code point 48.
    @Test
    @Requirement("ROCE-CC-2")
    void aNotificationLooksLikeThatOfHardware() {
        List<Sent> sent = arrive(queuePair(true), MARKED);

        assertThat(notifications(sent)).containsExactly(new Sent(Opcode.CNP, 0, true, 16, 48 << 2));
    }

    @Test
    void marksMeanNothingWhenTheDeviceDoesNotAnswerThem() {
        List<Sent> sent = arrive(queuePair(false), MARKED);

        assertThat(notifications(sent)).isEmpty();
        assertThat(sent).allMatch(each -> each.trafficClass() == 0);
    }

    @Test
    @Requirement("ROCE-CC-2")
    void dataIsSentEcnCapable() {
        RcQueuePair queuePair = queuePair(true);
        post(queuePair);

        assertThat(transmit(queuePair))
                .isNotEmpty()
                .allMatch(each -> each.trafficClass() == NotificationPoint.ECN_CAPABLE);
    }

    @Test
    @Requirement("ROCE-CC-1")
    void aNotificationIsCountedAndNeverAcknowledged() {
        for (boolean notifying : new boolean[] {false, true}) {
            RcQueuePair queuePair = queuePair(notifying);

            deliver(queuePair, TestPacket.of(Opcode.CNP, 0).payload(new byte[16]), 0);

            assertThat(transmit(queuePair)).isEmpty();
            assertThat(queuePair.counters().get(QueuePairCounter.NOTIFICATIONS_RECEIVED)).isOne();
            assertThat(queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        }
    }

    @Test
    @Requirement("ROCE-CC-1")
    void aNotificationSlowsTheQueuePairDownOnlyWhenEnabled() {
        assertThat(packetsAtOnce(false)).as("without").isGreaterThan(10);
        assertThat(packetsAtOnce(true)).as("with").isBetween(1, 5);
    }

    /// A window of 32 packets per millisecond is twice the rate then. Four datagrams of 4140 bytes
    /// are 176 bytes more than may leave at once.
    @Test
    void theFirstNotificationHalvesAWindowPerRoundTrip() {
        RcQueuePair queuePair = queuePair(true);
        post(queuePair);
        int packets = transmit(queuePair).size();
        now += 1_000_000;
        deliver(queuePair, TestPacket.ack(packets - 1), 0);
        deliver(queuePair, TestPacket.of(Opcode.CNP, 0).payload(new byte[16]), 0);
        post(queuePair);

        assertThat(transmit(queuePair)).hasSize(4);
        long ready = queuePair.deadlineNanos();
        assertThat(ready - now).isEqualTo((long) (176 / (32 * 4096 / 2e6)));
        now = ready;
        queuePair.onTimer(now);

        assertThat(queuePair.deadlineNanos()).isGreaterThan(now + 1_000);
        assertThat(transmit(queuePair)).hasSize(1);
    }

    @Test
    void withoutARoundTripTheFirstNotificationHalvesTheRateOfTheFastestLine() {
        RcQueuePair queuePair = queuePair(true);
        deliver(queuePair, TestPacket.of(Opcode.CNP, 0).payload(new byte[16]), 0);
        post(queuePair);

        assertThat(transmit(queuePair)).hasSize(4);
        assertThat(queuePair.deadlineNanos() - now).isEqualTo((long) (176 / 6.25));
    }

    /// How many packets leave at once after a measured round trip of 1 ms and a notification.
    private int packetsAtOnce(boolean notifying) {
        RcQueuePair queuePair = queuePair(notifying);
        post(queuePair);
        List<Sent> first = transmit(queuePair);
        now += 1_000_000;
        deliver(queuePair, TestPacket.ack(first.getLast().psn()), 0);
        deliver(queuePair, TestPacket.of(Opcode.CNP, 0).payload(new byte[16]), 0);
        post(queuePair);
        int atOnce = transmit(queuePair).size();
        if (notifying) {
            assertThat(queuePair.deadlineNanos()).as("goes on soon").isLessThan(now + 1_000_000);
        }
        return atOnce;
    }

    private RcQueuePair queuePair(boolean notifying) {
        psn = 0;
        RcQueuePair queuePair =
                QueuePairs.initialized(
                        0x11,
                        DOMAIN,
                        regions,
                        completions,
                        completions,
                        new QueueSizes(8, 8, 1, 0),
                        Optional.empty(),
                        event -> {},
                        new CongestionControl(notifying, 8 << 20));
        Path path = new Path(LOCAL, PEER, QueuePairs.UDP_PORT, 0);
        queuePair.connect(
                RcConnection.builder(path)
                        .destinationQpn(0x22)
                        .pathMtuBytes(4096)
                        .minRnrTimerCode(12)
                        .ackTimeoutCode(14)
                        .retryCount(7)
                        .rnrRetryCount(7)
                        .build());
        return queuePair;
    }

    private void post(RcQueuePair queuePair) {
        SendRequest request = new SendRequest().payload(region, 0, MESSAGE_BYTES).write(4096, 1);
        assertThat(queuePair.post(request)).isTrue();
    }

    /// A WRITE of 8 bytes arrives.
    private List<Sent> arrive(RcQueuePair queuePair, int trafficClass) {
        TestPacket write =
                TestPacket.of(Opcode.WRITE_ONLY, psn++)
                        .target(region.address(), region.remoteKey(), 8)
                        .payload(new byte[8]);
        deliver(queuePair, write, trafficClass);
        return transmit(queuePair);
    }

    private void deliver(RcQueuePair queuePair, TestPacket test, int trafficClass) {
        test.emit(peerSink, reversePath, 0x11);
        assertThat(packet.wrap(peerSink.memory().segment(), 0, peerSink.length(0))).isNull();
        packet.from(PEER.high(), PEER.low(), QueuePairs.UDP_PORT, trafficClass);
        queuePair.receive(packet, now);
        peerSink.clear();
    }

    private List<Sent> transmit(RcQueuePair queuePair) {
        queuePair.transmit(sink, now);
        var all = new ArrayList<Sent>();
        for (int i = 0; i < sink.count(); i++) {
            assertThat(packet.wrap(sink.memory().segment(), sink.offset(i), sink.length(i)))
                    .isNull();
            all.add(
                    new Sent(
                            packet.opcode(),
                            packet.psn(),
                            packet.becn(),
                            packet.payloadLength(),
                            sink.path(i).trafficClass()));
        }
        sink.clear();
        return all;
    }

    private static List<Sent> notifications(List<Sent> sent) {
        return sent.stream().filter(each -> each.opcode() == Opcode.CNP).toList();
    }
}
