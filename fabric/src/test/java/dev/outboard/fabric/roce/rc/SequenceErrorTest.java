package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Gaps in the sequence of packets, and how both sides repair them (roce.md 3.5, 3.6, 3.8).
class SequenceErrorTest {
    @Test
    @Requirement("ROCE-RC-10")
    void reportsAGapOnceWithTheExpectedPsn() {
        var bench = new QueuePairBench().connect();
        postReceives(bench, 8);

        List<TestPacket> answers =
                bench.answersTo(request(bench, 0), request(bench, 2), request(bench, 3));
        List<TestPacket> later = bench.answersTo(request(bench, 4));

        assertThat(answers).hasSize(2);
        assertAck(answers.get(0), bench.receivePsn(0));
        assertNak(answers.get(1), bench.receivePsn(1));
        assertThat(answers.get(1).msn).as("MSN not incremented by a NAK").isEqualTo(1);
        assertThat(later).isEmpty();
        assertThat(bench.receiveCompletions()).containsExactly(success(0));
    }

    @Test
    @Requirement("ROCE-RC-10")
    void reportsTheNextGapOnceTheFirstIsRepaired() {
        var bench = new QueuePairBench().connect();
        postReceives(bench, 8);

        assertNak(bench.answerTo(request(bench, 1)), bench.receivePsn(0));
        assertAck(bench.answerTo(request(bench, 0)), bench.receivePsn(0));
        assertNak(bench.answerTo(request(bench, 2)), bench.receivePsn(1));
        assertThat(bench.answersTo(request(bench, 3))).isEmpty();
        assertAck(bench.answerTo(request(bench, 1)), bench.receivePsn(1));
    }

    /// soft-RoCE goes back for one report, and for another only once it has seen progress.
    @Test
    void acknowledgesThePacketThatEndsAGapThoughNobodyAsks() {
        var bench = new QueuePairBench().connect();
        postReceives(bench, 8);
        assertNak(bench.answerTo(request(bench, 1)), bench.receivePsn(0));

        TestPacket answer =
                bench.answerTo(
                        TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)),
                        TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(1)));

        assertAck(answer, bench.receivePsn(0));
    }

    @Test
    @Requirement("ROCE-RC-10")
    void seesAGapAcrossTheWrapOfThePsn() {
        var bench = new QueuePairBench().firstPsns(0, 0xFFFFFF).connect();
        postReceives(bench, 8);

        assertNak(bench.answerTo(request(bench, 1)), 0xFFFFFF);
        assertAck(bench.answerTo(request(bench, 0), request(bench, 1)), 0);
    }

    /// The gap closes before its report has left.
    @Test
    void doesNotReportAGapThatIsGone() {
        var bench = new QueuePairBench().connect();
        postReceives(bench, 8);

        TestPacket answer = bench.answerTo(request(bench, 1), request(bench, 0));

        assertAck(answer, bench.receivePsn(0));
    }

    @Test
    @Requirement("ROCE-RC-10")
    void goesBackToTheReportedPacketAndCompletesWhatWasBefore() {
        var bench = new QueuePairBench().connect();
        bench.post(bench.send(1, 256));
        bench.post(bench.send(2, 700));
        List<TestPacket> first = bench.transmit();

        bench.deliver(TestPacket.nak(bench.sendPsn(2), Aeth.NAK_PSN_SEQUENCE_ERROR));

        assertThat(bench.sendCompletions()).containsExactly(success(1));
        List<TestPacket> again = bench.transmit();
        assertThat(again).hasSize(2);
        for (int i = 0; i < again.size(); i++) {
            assertThat(again.get(i)).usingRecursiveComparison().isEqualTo(first.get(2 + i));
        }
    }

    @Test
    @Requirement("ROCE-RC-10")
    void givesUpWhenReportsUseUpTheRetries() {
        var bench = new QueuePairBench().retries(0, 2).connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));
        bench.transmit();

        for (int retry = 0; retry < 2; retry++) {
            bench.deliver(TestPacket.nak(bench.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR));
            assertThat(bench.transmit()).hasSize(2);
        }
        bench.deliver(TestPacket.nak(bench.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR));

        assertThat(bench.sendCompletions()).containsExactly("1 RETRY_EXCEEDED", flushed(2));
    }

    @Test
    void aRepeatedReportCostsNoSecondRetry() {
        var bench = new QueuePairBench().retries(0, 1).connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));
        bench.transmit();
        TestPacket nak = TestPacket.nak(bench.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR);

        bench.deliver(nak, nak);

        assertThat(bench.transmit()).hasSize(2);
        assertThat(bench.sendCompletions()).isEmpty();
    }

    @Test
    void ignoresAReportOutsideWhatIsOutstanding() {
        var bench = new QueuePairBench().connect();
        bench.post(bench.send(1, 0));
        bench.transmit();

        bench.deliver(
                TestPacket.nak(bench.sendPsn(-1), Aeth.NAK_PSN_SEQUENCE_ERROR),
                TestPacket.nak(bench.sendPsn(1), Aeth.NAK_PSN_SEQUENCE_ERROR));

        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.counter(QueuePairCounter.STALE_RESPONSES_DROPPED)).isEqualTo(2);
    }

    /// The last packet is lost and nothing follows that would show the gap.
    @Test
    @Requirement("ROCE-RC-33")
    void probesForALostLastPacketLongBeforeTheTimeout() {
        var bench = new QueuePairBench().retries(19, 0).connect();
        bench.post(bench.send(1, 256));
        bench.post(bench.send(2, 256));
        bench.transmit();
        long sentAt = bench.now;

        List<TestPacket> probe = bench.runTimer();

        assertThat(probe)
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(0), bench.sendPsn(1));
        assertThat(probe.getLast().ackRequest).isTrue();
        long timeoutNanos = 4_096L << 19;
        assertThat(bench.now - sentAt).isLessThan(timeoutNanos / 100);
        assertThat(bench.counter(QueuePairCounter.TIMEOUTS)).isZero();

        bench.deliver(TestPacket.ack(bench.sendPsn(1)));
        assertThat(bench.sendCompletions()).containsExactly(success(1), success(2));
    }

    /// The peer has reported the gap, the report got lost, and it will not report again: only the
    /// missing packet itself helps.
    @Test
    @Requirement("ROCE-RC-33")
    void probesRecoverALostReport() {
        var bench = new QueuePairBench().retries(19, 1).connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));
        bench.post(bench.send(3, 0));
        bench.transmit();

        assertThat(bench.runTimer())
                .extracting(p -> p.psn)
                .containsExactly(bench.sendPsn(0), bench.sendPsn(2));
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        bench.deliver(TestPacket.nak(bench.sendPsn(1), Aeth.NAK_PSN_SEQUENCE_ERROR));
        assertThat(bench.transmit()).hasSize(2);
        bench.deliver(TestPacket.ack(bench.sendPsn(2)));

        assertThat(bench.sendCompletions()).containsExactly(success(1), success(2), success(3));
        assertThat(bench.counter(QueuePairCounter.TIMEOUTS)).isZero();
    }

    /// Nobody knows which copy was answered (Karn's rule): the wait stays long until a packet that
    /// left once is answered, and a loss makes no later probe late.
    @Test
    @Requirement("ROCE-RC-33")
    void theAnswerToAProbeMeasuresNoRoundTrip() {
        var bench = new QueuePairBench().retries(0, 7).connect();
        probeWait(bench, 0, 0);

        long undisturbed = probeWait(bench, 1, 3);

        assertThat(probeWait(bench, 2, 0)).isEqualTo(undisturbed << 3);
        assertThat(probeWait(bench, 3, 0)).isLessThanOrEqualTo(undisturbed);
    }

    /// How long the requester waits before it probes for packet `index`, which is then answered
    /// after that many probes.
    private static long probeWait(QueuePairBench bench, int index, int probes) {
        bench.post(bench.send(index, 0));
        bench.transmit();
        long wait = bench.queuePair.deadlineNanos() - bench.now;
        for (int i = 0; i < probes; i++) {
            bench.runTimer();
        }
        bench.elapse(100_000);
        bench.deliver(TestPacket.ack(bench.sendPsn(index)));
        return wait;
    }

    /// Probes follow the round trip, so that a loss costs a few of them and not a fixed time.
    @Test
    @Requirement("ROCE-RC-33")
    void probesAfterAFewRoundTrips() {
        var bench = new QueuePairBench().retries(19, 0).connect();
        for (int i = 0; i < 50; i++) {
            probeWait(bench, i, 0);
        }

        assertThat(probeWait(bench, 50, 0)).isBetween(200_000L, 300_000L);
    }

    /// The network changes the order: packets 1 and 3 come before 0 and 2. The peer reports both
    /// gaps; the first report has brought everything on its way again already.
    @Test
    void aSecondGapOfTheSameWindowSendsNothingTwice() {
        var bench = new QueuePairBench().retries(0, 1).connect();
        probeWait(bench, 0, 0);
        for (int i = 1; i < 5; i++) {
            bench.post(bench.send(i, 0));
        }
        bench.transmit();

        bench.elapse(100_000);
        bench.deliver(TestPacket.nak(bench.sendPsn(1), Aeth.NAK_PSN_SEQUENCE_ERROR));
        assertThat(bench.transmit()).hasSize(4);
        bench.elapse(10_000);
        bench.deliver(TestPacket.nak(bench.sendPsn(3), Aeth.NAK_PSN_SEQUENCE_ERROR));
        assertThat(bench.transmit()).isEmpty();

        bench.elapse(90_000);
        bench.deliver(TestPacket.nak(bench.sendPsn(3), Aeth.NAK_PSN_SEQUENCE_ERROR));
        assertThat(bench.transmit()).as("lost again").hasSize(2);
    }

    /// What never left because its memory had gone is found by the probe, even without a timeout.
    @Test
    @Requirement("ROCE-RC-33")
    void memoryThatIsGoneEndsTheWaitWithoutATimeout() {
        var bench = new QueuePairBench().retries(0, 7).connect();
        RegisteredRegion brief = bench.region(64, Access.LOCAL_WRITE);
        bench.post(new SendRequest().id(1).payload(brief, 0, 64));
        bench.post(bench.send(2, 0));
        bench.transmit();
        brief.close();

        bench.runTimer();

        assertThat(bench.sendCompletions()).containsExactly("1 LOCAL_PROTECTION_ERROR", flushed(2));
    }

    private static TestPacket request(QueuePairBench bench, int index) {
        return TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(index)).ackRequest();
    }

    private static void postReceives(QueuePairBench bench, int count) {
        for (int id = 0; id < count; id++) {
            bench.postReceive(id, 0, 0);
        }
    }

    private static void assertAck(TestPacket answer, int psn) {
        assertThat(answer.syndrome).isEqualTo(Aeth.ACK);
        assertThat(answer.psn).isEqualTo(psn);
    }

    private static void assertNak(TestPacket answer, int psn) {
        assertThat(answer.syndrome).isEqualTo(Aeth.NAK_PSN_SEQUENCE_ERROR);
        assertThat(answer.psn).isEqualTo(psn);
    }
}
