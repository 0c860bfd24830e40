package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.testkit.Requirement;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Who acknowledges what, and what an acknowledgement completes (roce.md 3.4, 3.7, 3.8).
class AcknowledgementTest {
    @Test
    @Requirement("ROCE-RC-6")
    void asksForAnAckOnTheLastPacketOfEveryMessage() {
        var bench = new QueuePairBench().connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 700));
        bench.post(bench.write(3, 300).signaled(false));

        List<TestPacket> packets = bench.transmit();

        assertThat(packets)
                .extracting(packet -> packet.ackRequest)
                .containsExactly(true, false, false, true, false, true);
    }

    @Test
    @Requirement("ROCE-RC-6")
    void asksForAnAckAtLeastEvery64Packets() {
        var bench = new QueuePairBench().connect();
        bench.post(bench.send(1, 240 * 256));

        int since = 0;
        int sent = 0;
        while (sent < 240) {
            for (TestPacket packet : bench.transmit()) {
                since = packet.ackRequest ? 0 : since + 1;
                assertThat(since).isLessThan(64);
                sent++;
            }
            bench.deliver(TestPacket.ack(bench.sendPsn(sent - 1)));
        }

        assertThat(bench.sendCompletions()).containsExactly(success(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 31})
    @Requirement("ROCE-RC-6")
    void asksForAnAckWhereTheWindowEnds(int window) {
        var bench = new QueuePairBench().window(window).connect();
        bench.post(bench.send(1, 100 * 256));

        for (int sent = 0; sent < 100; ) {
            List<TestPacket> packets = bench.transmit();
            assertThat(packets).hasSize(Math.min(window, 100 - sent));
            assertThat(packets.getLast().ackRequest).isTrue();
            sent += packets.size();
            bench.deliver(TestPacket.ack(bench.sendPsn(sent - 1)));
        }

        assertThat(bench.sendCompletions()).containsExactly(success(1));
    }

    /// After a loss the window is smaller, so another packet is the last in it.
    @Test
    @Requirement("ROCE-RC-6")
    void asksForAnAckWhereTheShrunkenWindowEnds() {
        var bench = new QueuePairBench().window(32).connect();
        bench.post(bench.send(1, 200 * 256));
        assertThat(bench.transmit()).hasSize(32);

        bench.deliver(TestPacket.nak(bench.sendPsn(3), Aeth.NAK_PSN_SEQUENCE_ERROR));
        List<TestPacket> again = bench.transmit();

        assertThat(again).hasSizeLessThan(32);
        assertThat(again.getLast().ackRequest).isTrue();
        assertThat(again.getLast().psn).isEqualTo(bench.sendPsn(3 + again.size() - 1));
    }

    @Test
    @Requirement("ROCE-RC-7")
    void acknowledgesOnlyWhatAsksForIt() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, 1024);
        TestPacket first =
                TestPacket.of(Opcode.SEND_FIRST, bench.receivePsn(0)).payload(new byte[256]);
        TestPacket last = TestPacket.of(Opcode.SEND_LAST, bench.receivePsn(1)).payload(new byte[1]);

        assertThat(bench.answersTo(first, last)).isEmpty();

        assertThat(bench.receiveCompletions()).containsExactly(success(1));
    }

    /// The MSN counts messages, not packets, and wraps nowhere near here (golden sequence 1, 2, 3).
    @Test
    @Requirement("ROCE-RC-7")
    void answersABatchOnceWithTheNewestPsnAndTheCountOfMessages() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, 1024);
        bench.postReceive(2, 0, 1024);
        bench.postReceive(3, 0, 1024);
        TestPacket only = TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest();
        TestPacket first =
                TestPacket.of(Opcode.SEND_FIRST, bench.receivePsn(1))
                        .ackRequest()
                        .payload(new byte[256]);
        TestPacket last =
                TestPacket.of(Opcode.SEND_LAST, bench.receivePsn(2))
                        .ackRequest()
                        .payload(new byte[256]);
        TestPacket again = TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(3)).ackRequest();

        TestPacket one = bench.answerTo(only);
        TestPacket inside = bench.answerTo(first);
        TestPacket batch = bench.answerTo(last, again);

        assertThat(one.psn).isEqualTo(bench.receivePsn(0));
        assertThat(one.msn).isEqualTo(1);
        assertThat(inside.psn).isEqualTo(bench.receivePsn(1));
        assertThat(inside.msn).as("inside a message").isEqualTo(1);
        assertThat(batch.psn).isEqualTo(bench.receivePsn(3));
        assertThat(batch.msn).isEqualTo(3);
    }

    @Test
    @Requirement("ROCE-RC-8")
    void sendsAcksWithoutCredits() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, 0);

        TestPacket ack =
                bench.answerTo(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest());

        assertThat(ack.opcode).isEqualTo(Opcode.ACKNOWLEDGE);
        assertThat(ack.syndrome).isEqualTo(0x1F);
        assertThat(ack.ackRequest).isFalse();
        assertThat(ack.solicited).isFalse();
    }

    @Test
    @Requirement("ROCE-RC-8")
    void takesEveryAckSyndromeForAnAckAndIgnoresItsCredits() {
        var bench = new QueuePairBench().connect();
        for (int syndrome = 0; syndrome <= 0x1F; syndrome++) {
            bench.post(bench.send(syndrome, 0));
            bench.post(bench.send(100 + syndrome, 0));
            assertThat(bench.transmit()).as("credits do not hold back").hasSize(2);

            bench.deliver(TestPacket.ack(bench.sendPsn(2 * syndrome)).syndrome(syndrome));
            bench.deliver(TestPacket.ack(bench.sendPsn(2 * syndrome + 1)).syndrome(syndrome));

            assertThat(bench.sendCompletions())
                    .containsExactly(success(syndrome), success(100 + syndrome));
        }
    }

    @Test
    @Requirement("ROCE-RC-9")
    void anAckCompletesEverythingBeforeItInOrder() {
        var bench = new QueuePairBench().connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.write(2, 600));
        bench.post(bench.send(3, 0).signaled(false));
        bench.post(bench.send(4, 0));
        bench.post(bench.send(5, 600));
        bench.transmit();

        bench.deliver(TestPacket.ack(bench.sendPsn(6)));

        assertThat(bench.sendCompletions()).containsExactly(success(1), success(2), success(4));
        bench.deliver(TestPacket.ack(bench.sendPsn(7)));
        assertThat(bench.sendCompletions()).as("not while its last packet is missing").isEmpty();
        bench.deliver(TestPacket.ack(bench.sendPsn(8)));
        assertThat(bench.sendCompletions()).containsExactly(success(5));
    }

    /// A NAK acknowledges every packet before the one it names.
    @ParameterizedTest
    @ValueSource(ints = {Aeth.NAK_PSN_SEQUENCE_ERROR, 0x2E, Aeth.NAK_REMOTE_ACCESS_ERROR})
    @Requirement("ROCE-RC-9")
    void aNakCompletesEverythingBeforeIt(int syndrome) {
        var bench = new QueuePairBench().connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));
        bench.post(bench.send(3, 0));
        bench.transmit();

        bench.deliver(TestPacket.nak(bench.sendPsn(2), syndrome));

        assertThat(bench.sendCompletions()).startsWith(success(1), success(2));
    }

    @Test
    void ignoresAnswersToNothingOutstanding() {
        var bench = new QueuePairBench().connect();
        bench.post(bench.send(1, 256));
        bench.transmit();

        bench.deliver(
                TestPacket.ack(bench.sendPsn(-1)),
                TestPacket.ack(bench.sendPsn(1)),
                TestPacket.ack(bench.sendPsn(1 << 23)),
                TestPacket.nak(bench.sendPsn(1), Aeth.NAK_REMOTE_ACCESS_ERROR));

        assertThat(bench.sendCompletions()).isEmpty();
        assertThat(bench.counter(QueuePairCounter.STALE_RESPONSES_DROPPED)).isEqualTo(4);
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        assertThat(bench.sendCompletions()).containsExactly(success(1));
    }

    /// The acknowledgement of the first copy arrives while the second is on its way.
    @Test
    void goesOnBehindAnAckThatComesAfterGoingBack() {
        var bench = new QueuePairBench().window(4).connect();
        bench.post(bench.send(1, 3 * 256));
        bench.post(bench.send(2, 3 * 256));
        bench.transmit();
        bench.deliver(TestPacket.nak(bench.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR));

        bench.deliver(TestPacket.ack(bench.sendPsn(3)));

        assertThat(bench.sendCompletions()).containsExactly(success(1));
        assertThat(bench.transmit())
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(4), bench.sendPsn(5));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement("ROCE-RC-11")
    void acknowledgesADuplicateWithoutExecutingItAgain(boolean ackRequest) {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, 8);
        bench.postReceive(2, 8, 8);
        bench.postReceive(3, 16, 8);
        TestPacket send = TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).payload(new byte[8]);
        TestPacket write = writeTo(bench, Opcode.WRITE_ONLY, 1, 100);
        TestPacket writeImmediate = writeTo(bench, Opcode.WRITE_ONLY_IMM, 2, 200);
        bench.deliver(send, write, writeImmediate);
        assertThat(bench.transmit()).isEmpty();
        Pattern.fill(bench.region.segment(), 1);

        for (TestPacket duplicate : List.of(send, write, writeImmediate)) {
            duplicate.ackRequest = ackRequest;
            TestPacket ack = bench.answerTo(duplicate);
            assertThat(ack.syndrome).isEqualTo(Aeth.ACK);
            assertThat(ack.psn).isEqualTo(bench.receivePsn(2));
            assertThat(ack.msn).isEqualTo(3);
        }

        assertThat(bench.receiveCompletions()).containsExactly(success(1), success(2));
        assertThat(Pattern.mismatch(bench.region.segment(), 1, 0)).isEqualTo(-1);
        bench.deliver(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(3)));
        assertThat(bench.receiveCompletions()).containsExactly(success(3));
    }

    @Test
    @Requirement("ROCE-RC-11")
    void aDuplicateInsideAMessageDisturbsItNot() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, 600);
        byte[] bytes = QueuePairBench.pattern(5, 0, 512);
        TestPacket first =
                TestPacket.of(Opcode.SEND_FIRST, bench.receivePsn(0))
                        .payload(Arrays.copyOfRange(bytes, 0, 256));
        TestPacket last =
                TestPacket.of(Opcode.SEND_LAST, bench.receivePsn(1))
                        .ackRequest()
                        .payload(Arrays.copyOfRange(bytes, 256, 512));

        assertThat(bench.answerTo(first, first).psn).isEqualTo(bench.receivePsn(0));
        assertThat(bench.answerTo(last).psn).isEqualTo(bench.receivePsn(1));

        assertThat(bench.receiveCompletion().byteCount()).isEqualTo(512);
        assertThat(bench.bytes(0, 512)).isEqualTo(bytes);
    }

    /// Packets of a peer that started over, or of nobody: up to 2^23 behind they are duplicates.
    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"SEND_ONLY", "SEND_MIDDLE", "WRITE_LAST"})
    void aPacketFromLongAgoIsADuplicate(Opcode opcode) {
        var bench = new QueuePairBench().firstPsns(0, 0).connect();

        TestPacket answer = bench.answerTo(TestPacket.of(opcode, 1 << 23).payload(new byte[1]));

        assertThat(answer.syndrome).isEqualTo(Aeth.ACK);
        assertThat(answer.psn).isEqualTo(0xFFFFFF);
        assertThat(bench.counter(QueuePairCounter.DUPLICATES_RECEIVED)).isEqualTo(1);
    }

    private static TestPacket writeTo(QueuePairBench bench, Opcode opcode, int index, long offset) {
        return TestPacket.of(opcode, bench.receivePsn(index))
                .target(bench.region.address() + offset, bench.region.remoteKey(), 8)
                .payload(new byte[8]);
    }

    /// Two packets in one system call have to be as long as the first, but for the last one.
    @ParameterizedTest
    @ValueSource(ints = {0, 64, 256})
    void theAcknowledgementRidesBehindARequestOfOnePacketIfThePeerTakesItThere(int length) {
        var bench = new QueuePairBench().connect();
        bench.queuePair.sendRequestsAhead();
        bench.postReceive(1, 0, 1024);
        bench.deliver(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest());
        assertThat(bench.queuePair.mayAnswerLater()).isTrue();
        bench.post(bench.send(2, length));
        assertThat(bench.queuePair.mayAnswerLater()).isFalse();

        assertThat(bench.transmit())
                .extracting(packet -> packet.opcode)
                .containsExactly(Opcode.SEND_ONLY, Opcode.ACKNOWLEDGE);
    }

    @Test
    void nothingIsAnsweredLaterIfNothingOrMoreThanAnAcknowledgementIsOwed() {
        var bench = new QueuePairBench().connect();
        bench.queuePair.sendRequestsAhead();
        assertThat(bench.queuePair.mayAnswerLater()).isFalse();
        bench.postReceive(1, 0, 1024);
        bench.deliver(
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest(),
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(2)));

        assertThat(bench.queuePair.mayAnswerLater()).isFalse();

        bench.post(bench.send(2, 64));
        assertThat(bench.transmit())
                .extracting(packet -> packet.opcode)
                .containsExactly(Opcode.ACKNOWLEDGE, Opcode.ACKNOWLEDGE, Opcode.SEND_ONLY);
    }

    @Test
    void whatIsOwedWaitsForRoomInTheSink() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, 1024);
        bench.deliver(
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest(),
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(2)));
        var sink = new DatagramSink(2);

        for (int room = 0; room < 2; room++) {
            sink.limit(room);
            assertThat(bench.queuePair.transmit(sink, bench.now)).as("more is owed").isTrue();
            assertThat(sink.count()).isEqualTo(room);
        }
        sink.limit(2);

        assertThat(bench.queuePair.transmit(sink, bench.now)).isFalse();
        assertThat(sink.count()).isEqualTo(2);
    }

    @Test
    void anAnswerIsWhatIsOwedAndNoRequest() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, 1024);
        bench.deliver(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest());
        bench.post(bench.send(2, 64));
        var sink = new DatagramSink(2);

        bench.queuePair.answer(sink);

        assertThat(sink.count()).isOne();
        assertThat(bench.transmit())
                .extracting(packet -> packet.opcode)
                .containsExactly(Opcode.SEND_ONLY);
    }

    @Test
    void aRefusalWaitsForRoomInTheSinkAlthoughTheQueuePairHasFailed() {
        var bench = new QueuePairBench().connect();
        bench.deliver(TestPacket.of(Opcode.SEND_LAST, bench.receivePsn(0)).payload((byte) 1));
        var sink = new DatagramSink(1);

        sink.limit(0);
        assertThat(bench.queuePair.transmit(sink, bench.now)).as("more is owed").isTrue();
        sink.limit(1);

        assertThat(bench.queuePair.transmit(sink, bench.now)).isFalse();
        assertThat(sink.count()).isOne();
    }

    @Test
    @Requirement({"NAA-MRSP-4", "NAA-XFER-18"})
    void theAcknowledgementGoesAheadOfRequestsToAPeerThatDoesNotSayOtherwise() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, 1024);
        bench.deliver(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest());
        assertThat(bench.queuePair.mayAnswerLater()).isFalse();
        bench.post(bench.send(2, 64));

        assertThat(bench.transmit())
                .extracting(packet -> packet.opcode)
                .containsExactly(Opcode.ACKNOWLEDGE, Opcode.SEND_ONLY);
    }

    /// The peer's window would stand still while a long message leaves.
    @Test
    void theAcknowledgementGoesAheadOfALongMessage() {
        var bench = new QueuePairBench().connect();
        bench.queuePair.sendRequestsAhead();
        bench.postReceive(1, 0, 1024);
        bench.deliver(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest());
        bench.post(bench.send(2, 300));

        assertThat(bench.transmit())
                .extracting(packet -> packet.opcode)
                .containsExactly(Opcode.ACKNOWLEDGE, Opcode.SEND_FIRST, Opcode.SEND_LAST);
    }
}
