package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.sim.network.DatagramSink;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What a probe consists of, and what may come between it being due and leaving (roce.md 3.8, tail
/// loss).
class ProbeTest {
    private static final int MTU = 256;

    private QueuePairBench bench;

    @BeforeEach
    void connect() {
        bench = new QueuePairBench().pathMtu(MTU).retries(0, 1).connect();
    }

    @Test
    void repeatsTheOldestPacketOfAMessageAndItsLast() {
        bench.post(bench.send(1, 5 * MTU));
        List<TestPacket> first = bench.transmit();
        bench.deliver(TestPacket.ack(bench.sendPsn(1)));

        List<TestPacket> probe = bench.runTimer();

        assertThat(probe)
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(2), bench.sendPsn(4));
        assertThat(probe.getFirst().ackRequest).isTrue();
        assertThat(probe.getFirst().payload).isEqualTo(first.get(2).payload);
        assertThat(probe.getLast()).usingRecursiveComparison().isEqualTo(first.getLast());
    }

    /// A burst has 64 responses; the second is asked for from its beginning.
    @Test
    void asksForWhatIsMissingOfTheBurstsAtBothEnds() {
        int first = openWindow();
        int length = 100 * MTU;
        bench.post(new SendRequest().id(1).read(0x1000, 0x5EED).payload(bench.region, 0, length));
        assertThat(bench.transmit()).hasSize(2);
        for (int index = 0; index < 3; index++) {
            Opcode opcode = index == 0 ? Opcode.READ_RESP_FIRST : Opcode.READ_RESP_MIDDLE;
            bench.deliver(
                    TestPacket.of(opcode, bench.sendPsn(first + index))
                            .syndrome(Aeth.ACK)
                            .payload(new byte[MTU]));
        }

        List<TestPacket> probe = bench.runTimer();

        assertThat(probe)
                .extracting(packet -> packet.psn, packet -> packet.address, p -> p.dmaLength)
                .containsExactly(
                        tuple(bench.sendPsn(first + 3), 0x1000L + 3 * MTU, 61L * MTU),
                        tuple(bench.sendPsn(first + 64), 0x1000L + 64 * MTU, 36L * MTU));
    }

    @Test
    void newRequestsLeaveRightBehindIt() {
        bench.post(bench.send(1, 0));
        bench.transmit();
        bench.post(bench.send(2, 0));

        assertThat(bench.runTimer())
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(0), bench.sendPsn(1));
    }

    @Test
    void waitsForRoomInTheSink() {
        bench.post(bench.send(1, 3 * MTU));
        bench.transmit();
        bench.elapse(bench.queuePair.deadlineNanos() - bench.now);

        var full = new DatagramSink(0);
        assertThat(bench.queuePair.transmit(full, bench.now)).as("more is to be sent").isTrue();
        assertThat(bench.counter(QueuePairCounter.PROBES)).isZero();

        assertThat(bench.transmit()).hasSize(2);
        assertThat(bench.counter(QueuePairCounter.PROBES)).isOne();
    }

    @Test
    void theOldestPacketGoesAloneIfThereIsNoRoomForTwo() {
        bench.post(bench.send(1, 3 * MTU));
        bench.transmit();
        bench.elapse(bench.queuePair.deadlineNanos() - bench.now);

        bench.sinkTakes(1);

        assertThat(bench.transmitTurn())
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(0));
    }

    @Test
    void aGapThatIsReportedBeforeItLeavesIsRepairedInItsPlace() {
        bench.post(bench.send(1, 3 * MTU));
        bench.transmit();
        bench.elapse(bench.queuePair.deadlineNanos() - bench.now);

        bench.deliver(TestPacket.nak(bench.sendPsn(1), Aeth.NAK_PSN_SEQUENCE_ERROR));

        assertThat(bench.transmitTurn())
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(1), bench.sendPsn(2));
        assertThat(bench.counter(QueuePairCounter.PROBES)).isZero();
    }

    /// Nobody knows which copy is answered (Karn's rule).
    @Test
    void theAnswerToARepairMeasuresNoRoundTrip() {
        bench.post(bench.send(1, 0));
        bench.transmit();
        long wait = bench.queuePair.deadlineNanos() - bench.now;
        bench.deliver(TestPacket.nak(bench.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR));
        bench.transmit();
        bench.elapse(100_000);
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));

        bench.post(bench.send(2, 0));
        bench.transmit();

        assertThat(bench.queuePair.deadlineNanos() - bench.now).isEqualTo(wait);
    }

    /// Brings the window to 128 packets; returns how many packets that took.
    private int openWindow() {
        int sent = 0;
        for (int packets = 32; packets < 128; packets *= 2) {
            bench.post(bench.send(0, packets * MTU));
            assertThat(bench.transmit()).hasSize(packets);
            sent += packets;
            bench.deliver(TestPacket.ack(bench.sendPsn(sent - 1)));
        }
        return sent;
    }
}
