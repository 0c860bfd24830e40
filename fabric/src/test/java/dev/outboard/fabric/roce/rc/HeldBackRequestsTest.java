package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.queue.SendQueue;
import dev.outboard.fabric.roce.wire.Aeth;
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
    void everyRequestLeavesAtOnceBehindFourOthers() {
        for (int id = 1; id <= 5; id++) {
            post(id, id);

            assertThat(bench.queuePair.isHeldBack()).isFalse();
            assertThat(bench.transmit()).hasSize(1);
        }
    }

    @Test
    void oneBehindFiveWaitsForAnAnswer() {
        post(1, 5);
        bench.transmit();
        post(6, 6);

        assertThat(bench.queuePair.isHeldBack()).isTrue();
        assertThat(bench.transmit()).isEmpty();

        bench.deliver(TestPacket.ack(bench.sendPsn(0)));

        assertThat(bench.queuePair.isHeldBack()).isFalse();
        assertThat(bench.transmit()).hasSize(1);
        bench.deliver(TestPacket.ack(bench.sendPsn(5)));
        assertThat(bench.sendCompletions())
                .containsExactly(
                        success(1), success(2), success(3), success(4), success(5), success(6));
    }

    @Test
    void oneBehindFiveWaitsForAnother() {
        post(1, 5);
        bench.transmit();
        post(6, 6);
        assertThat(bench.transmit()).isEmpty();
        post(7, 7);

        assertThat(bench.queuePair.isHeldBack()).isFalse();
        assertThat(bench.transmit()).hasSize(2);
    }

    @Test
    void aFullRunWaitsForNobody() {
        var queue = new SendQueue(bench.regions, 512, 1, 0);
        IntStream.range(0, 400).forEach(_ -> queue.offer(bench.write(0, 0)));
        IntStream.range(0, 400).forEach(_ -> queue.start());
        IntStream.range(0, 63).forEach(_ -> queue.offer(bench.write(0, 0)));
        assertThat(queue.isHeldBack()).isTrue();
        queue.offer(bench.write(0, 0));

        assertThat(queue.isHeldBack()).isFalse();
    }

    @Test
    void theRestOfAMessageIsNotANewRequest() {
        var narrow = new QueuePairBench().queues(512, 512).window(6).connect();
        LongStream.rangeClosed(1, 5).forEach(id -> narrow.post(narrow.write(id, 0)));
        narrow.post(narrow.write(6, 4 * 256));
        assertThat(narrow.transmit()).hasSize(6);

        narrow.deliver(TestPacket.ack(narrow.sendPsn(0)));

        assertThat(narrow.transmit()).hasSize(1);
    }

    @Test
    void whatIsLostIsRepeatedAlthoughLittleIsNew() {
        post(1, 5);
        bench.transmit();
        post(6, 6);

        bench.deliver(TestPacket.nak(bench.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR));

        assertThat(bench.transmit()).hasSizeGreaterThanOrEqualTo(5);
    }
}
