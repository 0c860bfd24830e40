package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.pattern;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// READs as the requester sees them (roce.md 3.2, 3.8).
class ReadRequesterTest {
    private static final int MTU = 256;
    private static final long REMOTE = 0x1000;
    private static final int KEY = 0x5EED;
    private static final long SINK = 4096;

    @ParameterizedTest
    @ValueSource(ints = {256, 512, 1024, 2048, 4096})
    @Requirement({"ROCE-RC-1", "ROCE-RC-5"})
    void takesOneSequenceNumberPerResponse(int mtu) {
        for (int length : new int[] {0, 1, mtu - 1, mtu, mtu + 1, 5 * mtu, 5 * mtu + 1}) {
            var bench = new QueuePairBench().pathMtu(mtu).connect();
            int responses = Math.max(1, (length + mtu - 1) / mtu);
            bench.post(read(bench, 1, length));
            bench.post(bench.write(2, 10));

            List<TestPacket> sent = bench.transmit();

            assertThat(sent).hasSize(2);
            TestPacket request = sent.getFirst();
            assertThat(request.opcode).isEqualTo(Opcode.READ_REQUEST);
            assertThat(request.psn).isEqualTo(bench.sendPsn(0));
            assertThat(request.ackRequest).isTrue();
            assertThat(request.address).isEqualTo(REMOTE);
            assertThat(request.key).isEqualTo(KEY);
            assertThat(request.dmaLength).isEqualTo(length);
            assertThat(request.payload).isEmpty();
            assertThat(sent.getLast().psn)
                    .as("%d bytes", length)
                    .isEqualTo(bench.sendPsn(responses));

            bench.deliver(responses(bench, mtu, length, 0, 0, responses));
            assertThat(bench.sendCompletions()).containsExactly(success(1));
            assertThat(bench.bytes(SINK, length)).isEqualTo(pattern(9, 0, length));
            assertThat(bench.bytes(SINK + length, 64))
                    .isEqualTo(pattern(0, (int) SINK + length, 64));
        }
    }

    @Test
    void scattersIntoThePieces() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.post(
                new SendRequest()
                        .id(1)
                        .read(REMOTE, KEY)
                        .payload(bench.region, 10, 100)
                        .appendPayload(bench.region, 9000, 0)
                        .appendPayload(bench.region, 5000, 300)
                        .appendPayload(bench.region, 300, 1));
        bench.transmit();

        bench.deliver(responses(bench, MTU, 401, 0, 0, 2));

        assertThat(bench.sendCompletions()).containsExactly(success(1));
        assertThat(bench.bytes(10, 100)).isEqualTo(pattern(9, 0, 100));
        assertThat(bench.bytes(5000, 300)).isEqualTo(pattern(9, 100, 300));
        assertThat(bench.bytes(300, 1)).isEqualTo(pattern(9, 400, 1));
        assertThat(bench.bytes(110, 190)).isEqualTo(pattern(0, 110, 190));
        assertThat(bench.bytes(5300, 100)).isEqualTo(pattern(0, 5300, 100));
    }

    /// roce.md 6: the responder of a READ hears nothing from us, so we ask for a little at a time.
    @ParameterizedTest
    @ValueSource(ints = {1, 20, 64, 128})
    void asksForALongReadInBurstsThatFitTheWindow(int window) {
        var bench = new QueuePairBench().pathMtu(MTU).window(window).readAtomics(16, 0).connect();
        int packets = 250;
        bench.post(read(bench, 1, packets * MTU).payload(bench.region, 0, (long) packets * MTU));
        int asked = 0;
        for (int answered = 0; answered < packets; answered++) {
            for (TestPacket request : bench.transmit()) {
                assertThat(request.psn).isEqualTo(bench.sendPsn(asked));
                assertThat(request.address).isEqualTo(REMOTE + (long) asked * MTU);
                asked += (int) request.dmaLength / MTU;
            }
            assertThat(asked - answered).isBetween(1, Math.max(64, window));
            bench.deliver(responses(bench, MTU, packets * MTU, 0, answered, answered + 1));
        }

        assertThat(asked).isEqualTo(packets);
        assertThat(bench.sendCompletions()).containsExactly(success(1));
        assertThat(bench.bytes(0, (long) packets * MTU)).isEqualTo(pattern(9, 0, packets * MTU));
    }

    /// However much its slot in the queue took before.
    @Test
    void aReadThatDoesNotFitTheWindowWaits() {
        var bench = new QueuePairBench().pathMtu(MTU).window(8).connect();
        bench.post(bench.write(1, 10));
        bench.post(read(bench, 2, 8 * MTU));
        assertThat(bench.transmit()).hasSize(1);

        bench.deliver(TestPacket.ack(bench.sendPsn(0)));

        assertThat(bench.transmitOne().opcode).isEqualTo(Opcode.READ_REQUEST);
    }

    @Test
    @Requirement("ROCE-RC-14")
    void asksOnceForTheRestFromTheFirstMissingResponseOn() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        int length = 6 * MTU - 10;
        bench.post(read(bench, 1, length));
        bench.transmit();
        TestPacket[] all = responses(bench, MTU, length, 0, 0, 6);
        bench.deliver(all[0], all[1], all[3], all[4], all[5]);

        TestPacket again = bench.transmitOne();

        assertThat(again.opcode).isEqualTo(Opcode.READ_REQUEST);
        assertThat(again.psn).isEqualTo(bench.sendPsn(2));
        assertThat(again.address).isEqualTo(REMOTE + 2 * MTU);
        assertThat(again.dmaLength).isEqualTo(length - 2 * MTU);
        assertThat(bench.sendCompletions()).isEmpty();

        bench.deliver(responses(bench, MTU, length, 0, 2, 6));
        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.sendCompletions()).containsExactly(success(1));
        assertThat(bench.bytes(SINK, length)).isEqualTo(pattern(9, 0, length));
    }

    /// The soft-RoCE responder goes on with MIDDLE, others begin with FIRST.
    @ParameterizedTest
    @CsvSource({"READ_RESP_FIRST", "READ_RESP_MIDDLE"})
    @Requirement("ROCE-RC-12")
    void takesARepetitionThatBeginsWithFirstOrMiddle(Opcode begin) {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        int length = 4 * MTU;
        bench.post(read(bench, 1, length));
        bench.transmit();
        bench.deliver(responses(bench, MTU, length, 0, 0, 1));
        bench.runTimer();
        assertThat(bench.counter(QueuePairCounter.PROBES)).isEqualTo(1);
        TestPacket[] rest = responses(bench, MTU, length, 0, 1, 4);
        rest[0] = TestPacket.of(begin, rest[0].psn).syndrome(Aeth.ACK).payload(rest[0].payload);

        bench.deliver(rest);

        assertThat(bench.sendCompletions()).containsExactly(success(1));
        assertThat(bench.bytes(SINK, length)).isEqualTo(pattern(9, 0, length));
    }

    @Test
    void ignoresResponsesThatCameBefore() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.post(read(bench, 1, 3 * MTU));
        bench.transmit();
        TestPacket[] all = responses(bench, MTU, 3 * MTU, 0, 0, 3);
        bench.deliver(all[0], all[0], all[1], all[0], all[1]);
        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.counter(QueuePairCounter.STALE_RESPONSES_DROPPED)).isEqualTo(3);

        bench.deliver(all[2], all[2]);

        assertThat(bench.sendCompletions()).containsExactly(success(1));
        assertThat(bench.counter(QueuePairCounter.STALE_RESPONSES_DROPPED)).isEqualTo(4);
    }

    @Test
    void aBurstOfLargePacketsIs128Kibibytes() {
        var bench = new QueuePairBench().pathMtu(4096).connect();
        RegisteredRegion sink = bench.region(1 << 18, Access.LOCAL_WRITE);
        bench.post(new SendRequest().id(1).read(REMOTE, KEY).payload(sink, 0, 1 << 18));

        assertThat(bench.transmitOne().dmaLength).isEqualTo(1 << 17);
    }

    @Test
    void aReadThatFillsTheWindowLeaves() {
        var bench = new QueuePairBench().pathMtu(MTU).window(8).connect();
        bench.post(bench.write(1, 10));
        bench.post(read(bench, 2, 7 * MTU));

        assertThat(bench.transmit()).hasSize(2);
    }

    @Test
    void lostResponsesMakeTheWindowSmaller() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.post(read(bench, 1, 10));
        bench.post(bench.write(2, 31 * MTU));
        assertThat(bench.transmit()).hasSize(32);

        assertThat(bench.answersTo(TestPacket.ack(bench.sendPsn(31)))).hasSize(28);
    }

    /// The responses before the refused packet are lost: they are asked for, but not too early.
    @Test
    void aReceiverThatIsNotReadyForWhatFollowsAReadLetsTheReadWaitToo() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.post(read(bench, 1, 10));
        bench.post(bench.send(2, 0));
        bench.transmit();

        bench.deliver(TestPacket.nak(bench.sendPsn(1), Aeth.rnrNak(12)));

        assertThat(bench.transmit()).isEmpty();
        bench.elapse(Aeth.rnrTimerNanos(12) - 1);
        assertThat(bench.transmit()).isEmpty();
        bench.elapse(1);
        assertThat(bench.transmitOne().opcode).isEqualTo(Opcode.READ_REQUEST);
        bench.deliver(responses(bench, MTU, 10, 0, 0, 1));
        assertThat(bench.transmitOne().psn).isEqualTo(bench.sendPsn(1));
    }

    /// It acknowledges what went before, and there is no room to report that.
    @Test
    void aResponseThatFailsTheQueuePairAnswersNothingElse() {
        var bench = new QueuePairBench().pathMtu(MTU).queues(8, 1).connect();
        bench.post(bench.write(1, 10));
        bench.post(bench.write(2, 10));
        bench.post(read(bench, 3, 10));
        bench.transmit();

        bench.deliver(responses(bench, MTU, 10, 2, 0, 1));

        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(bench.counter(QueuePairCounter.RESPONSES_RECEIVED)).isZero();
        assertThat(bench.counter(QueuePairCounter.STALE_RESPONSES_DROPPED)).isZero();
        assertThat(bench.bytes(SINK, 10)).isEqualTo(pattern(0, (int) SINK, 10));
    }

    @Test
    @Requirement({"ROCE-RC-9", "ROCE-RC-14"})
    void anAckBehindAReadWithoutResponsesMeansThatTheyAreLost() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.post(bench.write(1, 10));
        bench.post(read(bench, 2, 2 * MTU));
        bench.post(bench.write(3, 10));
        assertThat(bench.transmit()).hasSize(3);

        List<TestPacket> again = bench.answersTo(TestPacket.ack(bench.sendPsn(3)));

        assertThat(bench.sendCompletions()).containsExactly(success(1));
        assertThat(again)
                .extracting(packet -> packet.opcode)
                .containsExactly(Opcode.READ_REQUEST, Opcode.WRITE_ONLY);
        assertThat(again.getFirst().psn).isEqualTo(bench.sendPsn(1));
        // The same news again changes nothing.
        assertThat(bench.answersTo(TestPacket.ack(bench.sendPsn(3)))).isEmpty();

        bench.deliver(responses(bench, MTU, 2 * MTU, 1, 0, 2));
        bench.deliver(TestPacket.ack(bench.sendPsn(3)));
        assertThat(bench.sendCompletions()).containsExactly(success(2), success(3));
    }

    @Test
    @Requirement("ROCE-RC-9")
    void aResponseAcknowledgesEverythingBeforeIt() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.post(bench.write(1, 10));
        bench.post(bench.send(2, 600));
        bench.post(read(bench, 3, 10));
        bench.transmit();

        bench.deliver(responses(bench, MTU, 10, 4, 0, 1));

        assertThat(bench.sendCompletions()).containsExactly(success(1), success(2), success(3));
    }

    @Test
    @Requirement("ROCE-RC-9")
    void completesInTheOrderOfPostingAlthoughALaterAckCameFirst() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.post(read(bench, 1, 10));
        bench.post(bench.write(2, 10));
        bench.transmit();
        bench.deliver(TestPacket.ack(bench.sendPsn(1)));
        assertThat(bench.sendCompletions()).isEmpty();

        bench.deliver(responses(bench, MTU, 10, 0, 0, 1));
        bench.deliver(TestPacket.ack(bench.sendPsn(1)));

        assertThat(bench.sendCompletions()).containsExactly(success(1), success(2));
    }

    @Test
    void asksAgainAfterTheTimeout() {
        var bench = new QueuePairBench().pathMtu(MTU).retries(8, 2).connect();
        bench.post(read(bench, 1, 3 * MTU));
        bench.transmit();
        bench.deliver(responses(bench, MTU, 3 * MTU, 0, 0, 1));
        var again = new ArrayList<TestPacket>();
        while (bench.queuePair.state() == QueuePairState.READY_TO_SEND) {
            again.addAll(bench.runTimer());
        }

        assertThat(again)
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(packet -> {
                    assertThat(packet.opcode).isEqualTo(Opcode.READ_REQUEST);
                    assertThat(packet.psn).isEqualTo(bench.sendPsn(1));
                    assertThat(packet.address).isEqualTo(REMOTE + MTU);
                    assertThat(packet.dmaLength).isEqualTo(2 * MTU);
                });
        assertThat(bench.sendCompletions()).containsExactly("1 RETRY_EXCEEDED");
    }

    @Test
    @Requirement("ROCE-RC-22")
    void keepsNoMoreReadsOutstandingThanAgreed() {
        var bench = new QueuePairBench().pathMtu(MTU).readAtomics(2, 0).connect();
        for (int id = 0; id < 4; id++) {
            bench.post(read(bench, id, 10));
        }
        bench.post(bench.write(4, 10));
        assertThat(bench.transmit()).hasSize(2);

        bench.deliver(responses(bench, MTU, 10, 0, 0, 1));
        assertThat(bench.transmitOne().psn).isEqualTo(bench.sendPsn(2));

        // The WRITE waited behind the last READ: nothing overtakes in a send queue.
        bench.deliver(responses(bench, MTU, 10, 1, 0, 1));
        assertThat(bench.transmit())
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(3), bench.sendPsn(4));
    }

    @Test
    @Requirement("ROCE-RC-22")
    void aFenceWaitsForTheReadsBeforeIt() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.post(read(bench, 1, 10));
        bench.post(bench.write(2, 10));
        bench.post(read(bench, 3, 10));
        bench.post(bench.write(4, 10).fence(true));
        bench.post(bench.write(5, 10));
        assertThat(bench.transmit()).hasSize(3);
        bench.deliver(responses(bench, MTU, 10, 0, 0, 1));
        assertThat(bench.transmit()).isEmpty();

        bench.deliver(responses(bench, MTU, 10, 2, 0, 1));

        assertThat(bench.transmit())
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(3), bench.sendPsn(4));
    }

    @Test
    @Requirement("ROCE-RC-22")
    void aConnectionWithoutReadsFailsThemHereInsteadOfWaitingForEver() {
        var bench = new QueuePairBench().pathMtu(MTU).readAtomics(0, 4).connect();
        bench.post(bench.write(1, 10));
        bench.post(read(bench, 2, 10));
        assertThat(bench.transmit()).hasSize(1);

        assertThat(bench.answersTo(TestPacket.ack(bench.sendPsn(0)))).isEmpty();

        assertThat(bench.sendCompletions())
                .containsExactly(success(1), "2 LOCAL_QP_OPERATION_ERROR");
    }

    @Test
    @Requirement("ROCE-MR-4")
    void aSinkThatMayNotBeWrittenFailsHereAndNothingIsSent() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        RegisteredRegion readOnly = bench.region(64);
        bench.post(read(bench, 1, 64).payload(readOnly, 0, 64));
        bench.post(bench.write(2, 10));

        assertThat(bench.transmit()).isEmpty();

        assertThat(bench.sendCompletions()).containsExactly("1 LOCAL_PROTECTION_ERROR", flushed(2));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    @Requirement("ROCE-MR-4")
    void aSinkThatGoesAwayBeforeTheResponseFailsHere() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        RegisteredRegion sink = bench.region(64, Access.LOCAL_WRITE);
        bench.post(read(bench, 1, 64).payload(sink, 0, 64));
        bench.transmit();
        sink.close();

        bench.deliver(responses(bench, MTU, 64, 0, 0, 1));

        assertThat(bench.sendCompletions()).containsExactly("1 LOCAL_PROTECTION_ERROR");
        assertThat(sink.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 9, 11, 256})
    void aResponseOfTheWrongLengthIsABadResponse(int length) {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.post(read(bench, 1, 10));
        bench.transmit();

        bench.deliver(
                TestPacket.of(Opcode.READ_RESP_ONLY, bench.sendPsn(0))
                        .syndrome(Aeth.ACK)
                        .payload(new byte[length]));

        assertThat(bench.sendCompletions()).containsExactly("1 BAD_RESPONSE_ERROR");
        assertThat(bench.bytes(SINK, 300)).isEqualTo(pattern(0, (int) SINK, 300));
    }

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"READ_RESP_ONLY", "ATOMIC_ACK"})
    void dataThatNobodyAskedForIsIgnored(Opcode opcode) {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.post(bench.write(1, 10));
        bench.transmit();

        bench.deliver(TestPacket.of(opcode, bench.sendPsn(0)).syndrome(Aeth.ACK));

        assertThat(bench.sendCompletions()).isEmpty();
        assertThat(bench.counter(QueuePairCounter.STALE_RESPONSES_DROPPED)).isEqualTo(1);
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @ParameterizedTest
    @CsvSource({
        "0x61, REMOTE_INVALID_REQUEST_ERROR",
        "0x62, REMOTE_ACCESS_ERROR",
        "0x63, REMOTE_OPERATION_ERROR"
    })
    @Requirement("ROCE-RC-18")
    void aRefusalAfterSomeResponsesFailsTheRead(int syndrome, String status) {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.post(bench.write(1, 10));
        bench.post(read(bench, 2, 3 * MTU));
        bench.post(bench.write(3, 10));
        bench.transmit();
        bench.deliver(responses(bench, MTU, 3 * MTU, 1, 0, 1));

        bench.deliver(TestPacket.nak(bench.sendPsn(2), syndrome));

        assertThat(bench.sendCompletions()).containsExactly(success(1), "2 " + status, flushed(3));
    }

    private static SendRequest read(QueuePairBench bench, long id, int length) {
        return new SendRequest().id(id).read(REMOTE, KEY).payload(bench.region, SINK, length);
    }

    /// The responses `from` to `to` of a READ of `length` bytes that takes our packet numbers from
    /// `first` on.
    private static TestPacket[] responses(
            QueuePairBench bench, int mtu, int length, int first, int from, int to) {
        var packets = new TestPacket[to - from];
        for (int i = from; i < to; i++) {
            boolean isLast = i == Math.max(1, (length + mtu - 1) / mtu) - 1;
            Opcode opcode =
                    i == from
                            ? isLast ? Opcode.READ_RESP_ONLY : Opcode.READ_RESP_FIRST
                            : isLast ? Opcode.READ_RESP_LAST : Opcode.READ_RESP_MIDDLE;
            packets[i - from] =
                    TestPacket.of(opcode, bench.sendPsn(first + i))
                            .syndrome(Aeth.ACK)
                            .payload(pattern(9, i * mtu, Math.min(mtu, length - i * mtu)));
        }
        return packets;
    }
}
