package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What happens when a message needs a receive and none is posted (roce.md 3.5, 3.6).
class ReceiverNotReadyTest {
    private static final int TIMER_CODE = 20;
    private static final long WAIT_NANOS = 10_240_000;

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"SEND_ONLY", "SEND_ONLY_IMM", "SEND_FIRST", "WRITE_ONLY_IMM"})
    @Requirement("ROCE-RC-15")
    void refusesWhatNeedsAReceiveWhenNoneIsPosted(Opcode opcode) {
        var bench = new QueuePairBench().minRnrTimer(TIMER_CODE).connect();
        TestPacket request =
                TestPacket.of(opcode, bench.receivePsn(0))
                        .ackRequest()
                        .target(bench.region.address(), bench.region.remoteKey(), 256)
                        .payload(QueuePairBench.pattern(9, 0, 256));

        TestPacket refusal = bench.answerTo(request);

        assertThat(refusal.syndrome).isEqualTo(0x20 | TIMER_CODE);
        assertThat(refusal.psn).isEqualTo(bench.receivePsn(0));
        assertThat(refusal.msn).isZero();
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(bench.bytes(0, 256)).isEqualTo(QueuePairBench.pattern(0, 0, 256));

        bench.postReceive(1, 0, 256);
        assertThat(bench.answersTo(request)).allMatch(answer -> answer.syndrome == Aeth.ACK);
        assertThat(bench.bytes(0, 256)).isEqualTo(QueuePairBench.pattern(9, 0, 256));
    }

    @Test
    @Requirement("ROCE-RC-15")
    void refusesOnlyTheLastPacketOfAWriteWithImmediate() {
        var bench = new QueuePairBench().connect();
        bench.deliver(
                TestPacket.of(Opcode.WRITE_FIRST, bench.receivePsn(0))
                        .target(bench.region.address(), bench.region.remoteKey(), 257)
                        .payload(QueuePairBench.pattern(9, 0, 256)));
        TestPacket last =
                TestPacket.of(Opcode.WRITE_LAST_IMM, bench.receivePsn(1))
                        .ackRequest()
                        .immediate(0x01020304)
                        .payload((byte) 77);

        TestPacket refusal = bench.answerTo(last);
        bench.postReceive(1, 1024, 0);
        TestPacket ack = bench.answerTo(last);

        assertThat(Aeth.isRnrNak(refusal.syndrome)).isTrue();
        assertThat(refusal.psn).isEqualTo(bench.receivePsn(1));
        assertThat(ack.psn).isEqualTo(bench.receivePsn(1));
        assertThat(ack.syndrome).isEqualTo(Aeth.ACK);
        assertThat(bench.receiveCompletions()).containsExactly(success(1));
    }

    @Test
    @Requirement("ROCE-RC-15")
    void dropsWhatFollowsARefusedPacketInSilence() {
        var bench = new QueuePairBench().connect();
        TestPacket first = TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest();
        TestPacket second = TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(1)).ackRequest();

        List<TestPacket> answers = bench.answersTo(first, second);

        assertThat(answers).hasSize(1);
        assertThat(Aeth.isRnrNak(answers.getFirst().syndrome)).isTrue();
        assertThat(answers.getFirst().psn).isEqualTo(bench.receivePsn(0));
        assertThat(bench.answersTo(second)).isEmpty();
        bench.postReceive(1, 0, 0);
        bench.postReceive(2, 0, 0);
        assertThat(bench.answerTo(first, second).psn).isEqualTo(bench.receivePsn(1));
        assertThat(bench.receiveCompletions()).containsExactly(success(1), success(2));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 12, 31})
    @Requirement("ROCE-RC-15")
    void waitsAsLongAsThePeerSaysThenResendsFromTheRefusedPacket(int timerCode) {
        var bench = new QueuePairBench().retries(0, 7).connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 600));
        bench.transmit();
        long wait = Aeth.rnrTimerNanos(timerCode);

        bench.deliver(TestPacket.nak(bench.sendPsn(1), Aeth.rnrNak(timerCode)));

        assertThat(bench.sendCompletions()).containsExactly(success(1));
        assertThat(bench.transmit()).isEmpty();
        bench.elapse(wait - 1);
        assertThat(bench.transmit()).isEmpty();
        bench.elapse(1);
        assertThat(bench.transmit())
                .as("one packet to try")
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(1));
        bench.deliver(TestPacket.ack(bench.sendPsn(1)));
        assertThat(bench.transmit())
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(2), bench.sendPsn(3));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 6})
    @Requirement("ROCE-RC-15")
    void givesUpAfterThatManyRetries(int rnrRetryCount) {
        var bench = new QueuePairBench().rnrRetries(rnrRetryCount).retries(0, 0).connect();
        bench.post(bench.send(1, 0).signaled(false));
        bench.post(bench.send(2, 0));
        bench.transmit();

        for (int retry = 0; retry < rnrRetryCount; retry++) {
            refuse(bench, 0);
            assertThat(bench.runTimer()).hasSize(1);
        }
        assertThat(bench.sendCompletions()).isEmpty();
        refuse(bench, 0);

        assertThat(bench.sendCompletions()).containsExactly("1 RNR_RETRY_EXCEEDED", flushed(2));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    @Requirement("ROCE-RC-15")
    void neverGivesUpWithSevenRetries() {
        var bench = new QueuePairBench().rnrRetries(7).retries(0, 0).connect();
        bench.post(bench.send(1, 0));
        bench.transmit();

        for (int retry = 0; retry < 1_000; retry++) {
            refuse(bench, 0);
            assertThat(bench.runTimer()).hasSize(1);
        }
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));

        assertThat(bench.sendCompletions()).containsExactly(success(1));
    }

    @Test
    @Requirement("ROCE-RC-15")
    void hasAllRetriesAgainAfterProgress() {
        var bench = new QueuePairBench().rnrRetries(1).connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));
        bench.transmit();

        refuse(bench, 0);
        bench.runTimer();
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        refuse(bench, 1);
        bench.runTimer();
        bench.deliver(TestPacket.ack(bench.sendPsn(1)));

        assertThat(bench.sendCompletions()).containsExactly(success(1), success(2));
    }

    @Test
    void theTransportTimerRestsWhileItWaits() {
        var bench = new QueuePairBench().retries(1, 0).connect();
        bench.post(bench.send(1, 0));
        bench.transmit();

        refuse(bench, 0);

        assertThat(bench.queuePair.deadlineNanos()).isEqualTo(bench.now + WAIT_NANOS);
        assertThat(bench.runTimer()).hasSize(1);
        assertThat(bench.counter(QueuePairCounter.TIMEOUTS)).isZero();
    }

    /// A receiver may take its time. As long as it says so, it is not the silent peer that the
    /// transport retries are meant for, even when an answer gets lost now and then.
    @Test
    void aRefusalRestoresTheTransportRetries() {
        var bench = new QueuePairBench().retries(1, 1).connect();
        bench.post(bench.send(1, 0));
        bench.transmit();

        for (int i = 0; i < 10; i++) {
            assertThat(bench.runTimer()).as("after a timeout").hasSize(1);
            refuse(bench, 0);
            assertThat(bench.runTimer()).as("after the wait").hasSize(1);
        }

        assertThat(bench.counter(QueuePairCounter.TIMEOUTS)).isEqualTo(10);
        assertThat(bench.sendCompletions()).isEmpty();
    }

    /// Packet 1 overtakes packet 0: the peer reports a gap, then refuses packet 0. Its answers may
    /// come in any order.
    @Test
    void aSequenceNakDoesNotStartTheTransportTimerWhileItWaits() {
        var bench = new QueuePairBench().retries(1, 0).connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));
        bench.transmit();

        refuse(bench, 0);
        bench.deliver(TestPacket.nak(bench.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR));

        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.queuePair.deadlineNanos()).isEqualTo(bench.now + WAIT_NANOS);
        assertThat(bench.runTimer()).hasSize(1);
        assertThat(bench.sendCompletions()).isEmpty();
    }

    @Test
    void aSecondRefusalOfTheSamePacketCostsNoRetryWhileItWaits() {
        var bench = new QueuePairBench().rnrRetries(1).connect();
        bench.post(bench.send(1, 0));
        bench.transmit();

        refuse(bench, 0);
        refuse(bench, 0);

        assertThat(bench.sendCompletions()).isEmpty();
        assertThat(bench.runTimer()).hasSize(1);
    }

    @Test
    void progressEndsTheWait() {
        var bench = new QueuePairBench().connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));
        bench.transmit();

        // A refusal that the network repeated: packet 0 was accepted meanwhile.
        refuse(bench, 0);
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));

        assertThat(bench.transmit())
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(1));
        assertThat(bench.sendCompletions()).containsExactly(success(1));
    }

    @Test
    void aRefusalThatIsOutOfDateIsNotSent() {
        var bench = new QueuePairBench().connect();
        TestPacket request = TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest();

        bench.deliver(request);
        bench.postReceive(1, 0, 0);
        TestPacket answer = bench.answerTo(request);

        assertThat(answer.syndrome).isEqualTo(Aeth.ACK);
    }

    /// Six retries last 0.9 s with the usual least wait, and 4 ms if each were that long.
    @Test
    @Requirement("ROCE-RC-15")
    void aReceiverThatStaysAwayAsksForLongerAndLongerWaits() {
        var bench = new QueuePairBench().minRnrTimer(12).connect();
        TestPacket first = TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest();

        List<Integer> codes = new ArrayList<>();
        long waitNanos = 0;
        for (int retry = 0; retry < 7; retry++) {
            int code = Aeth.rnrTimerCode(bench.answerTo(first).syndrome);
            codes.add(code);
            assertThat(bench.answerTo(first).syndrome)
                    .as("to a copy that crossed it")
                    .isEqualTo(Aeth.rnrNak(code));
            waitNanos += retry < 6 ? Aeth.rnrTimerNanos(code) : 0;
            bench.elapse(Aeth.rnrTimerNanos(code));
        }

        assertThat(codes).containsExactly(12, 16, 20, 24, 28, 0, 0);
        assertThat(waitNanos).isBetween(800_000_000L, 1_000_000_000L);
        bench.postReceive(1, 0, 0);
        assertThat(bench.answerTo(first).syndrome).isEqualTo(Aeth.ACK);
        TestPacket second = TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(1)).ackRequest();
        assertThat(Aeth.rnrTimerCode(bench.answerTo(second).syndrome)).isEqualTo(12);
    }

    private static void refuse(QueuePairBench bench, int packet) {
        bench.deliver(TestPacket.nak(bench.sendPsn(packet), Aeth.rnrNak(TIMER_CODE)));
    }
}
