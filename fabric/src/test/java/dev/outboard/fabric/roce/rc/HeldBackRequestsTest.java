package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.verbs.SendQueue;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// Few new requests behind many on their way wait for an answer, so that a stream of small messages
/// leaves in few system calls.
class HeldBackRequestsTest {
    private final QueuePairBench bench = new QueuePairBench().queues(512, 512).connect();

    private void post(int from, int to) {
        LongStream.rangeClosed(from, to).forEach(id -> bench.post(bench.write(id, 64)));
    }

    @Test
    void everyRequestLeavesAtOnceBehindSixteenOthers() {
        for (int id = 1; id <= 17; id++) {
            post(id, id);

            assertThat(bench.queuePair.isWaitingForAnswers()).isFalse();
            assertThat(bench.transmit()).hasSize(1);
        }
    }

    @Test
    void oneBehindSeventeenWaitsForAnAnswer() {
        post(1, 17);
        bench.transmit();
        post(18, 18);

        assertThat(bench.queuePair.isWaitingForAnswers()).isTrue();
        assertThat(bench.transmit()).isEmpty();

        bench.deliver(TestPacket.ack(bench.sendPsn(0)));

        assertThat(bench.queuePair.isWaitingForAnswers()).isFalse();
        assertThat(bench.transmit()).hasSize(1);
        bench.deliver(TestPacket.ack(bench.sendPsn(17)));
        assertThat(bench.sendCompletions()).hasSize(18);
    }

    @Test
    void halfAsManyAsAreOnTheirWayNeedNotWait() {
        post(1, 20);
        bench.transmit();
        post(21, 29);
        assertThat(bench.transmit()).isEmpty();
        post(30, 30);

        assertThat(bench.queuePair.isWaitingForAnswers()).isFalse();
        assertThat(bench.transmit()).hasSize(10);
    }

    @Test
    void aWindowThatOpensForFewLetsManyWait() {
        var narrow = new QueuePairBench().queues(512, 512).window(20).connect();
        LongStream.rangeClosed(1, 300).forEach(id -> narrow.post(narrow.write(id, 0)));
        assertThat(narrow.transmit()).hasSize(20);

        narrow.deliver(TestPacket.ack(narrow.sendPsn(2)));
        assertThat(narrow.transmit()).isEmpty();
        narrow.deliver(TestPacket.ack(narrow.sendPsn(5)));

        assertThat(narrow.transmit()).hasSize(6);
    }

    @Test
    void aFullRunWaitsForNobody() {
        var queue = new SendQueue(bench.regions, 512, 1, 0);
        IntStream.range(0, 400).forEach(_ -> queue.offer(bench.write(0, 0)));
        IntStream.range(0, 400).forEach(_ -> queue.start());
        IntStream.range(0, 63).forEach(_ -> queue.offer(bench.write(0, 0)));
        assertThat(queue.isHeldBack(512)).isTrue();
        queue.offer(bench.write(0, 0));

        assertThat(queue.isHeldBack(512)).isFalse();
        assertThat(queue.isWaitingForAnswers()).isFalse();
    }

    @Test
    void whatStandsBehindAFullRunNeedNotBeLookedAt() {
        var queue = new SendQueue(bench.regions, 512, 1, 0);
        IntStream.range(0, 17 + 65).forEach(_ -> queue.offer(bench.write(0, 0)));
        IntStream.range(0, 16).forEach(_ -> queue.start());
        assertThat(queue.isWaitingForAnswers()).isFalse();
        queue.start();

        assertThat(queue.isWaitingForAnswers()).isTrue();
        assertThat(queue.isHeldBack(512)).isFalse();
    }

    @Test
    void theRestOfAMessageIsNotANewRequest() {
        var narrow = new QueuePairBench().queues(512, 512).window(18).connect();
        LongStream.rangeClosed(1, 17).forEach(id -> narrow.post(narrow.write(id, 0)));
        narrow.transmit();
        narrow.deliver(TestPacket.ack(narrow.sendPsn(0)));
        narrow.post(narrow.write(18, 4 * 256));
        assertThat(narrow.transmit()).hasSize(2);

        narrow.deliver(TestPacket.ack(narrow.sendPsn(1)));

        assertThat(narrow.transmit()).hasSize(1);
    }

    @Test
    void whatIsLostIsRepeatedAlthoughLittleIsNew() {
        post(1, 17);
        bench.transmit();
        post(18, 18);

        bench.deliver(TestPacket.nak(bench.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR));

        assertThat(bench.transmit()).hasSizeGreaterThanOrEqualTo(17);
    }
}
