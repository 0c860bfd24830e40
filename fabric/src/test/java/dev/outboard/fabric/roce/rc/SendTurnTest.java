package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// How much a requester sends at once: what the window, its share of a turn and the sink allow.
class SendTurnTest {
    @Test
    void theWindowGrowsByWhatIsAcknowledged() {
        var bench = new QueuePairBench().connect();
        bench.post(bench.write(1, 240 * 256));
        assertThat(bench.transmit()).hasSize(32);

        assertThat(bench.answersTo(TestPacket.ack(bench.sendPsn(15)))).hasSize(16 + 16);
        assertThat(bench.answersTo(TestPacket.ack(bench.sendPsn(25)))).hasSize(10 + 10);
    }

    /// Of 4 KiB each: once in 64 KiB, headers included.
    @Test
    void everyFifteenthPacketAsksForAnAck() {
        var bench = new QueuePairBench().connect();
        bench.post(bench.write(1, 40 * 256));

        var packets = bench.transmit();

        for (int i = 0; i < 31; i++) {
            assertThat(packets.get(i).ackRequest).as("packet %d", i).isEqualTo(i % 15 == 14);
        }
    }

    @Test
    void aTurnIs240KibibytesOfDatagrams() {
        int headerBytes = 44;
        var bench = new QueuePairBench().pathMtu(4096).queues(128, 128).connect();
        openWindow(bench);
        LongStream.range(0, 64).forEach(id -> bench.post(bench.write(id, 4096 - headerBytes)));

        assertThat(bench.transmitTurn()).hasSize(60);
    }

    @Test
    void whatDoesNotFitInATurnLeavesInTheNext() {
        var bench = new QueuePairBench().pathMtu(4096).connect();
        openWindow(bench);
        LongStream.range(0, 4).forEach(id -> bench.post(bench.write(id, 16 * 4096)));

        assertThat(bench.transmit()).as("in two turns").hasSize(64);
    }

    @Test
    void whatDoesNotFitIntoTheSinkLeavesInTheNextTurn() {
        var bench = new QueuePairBench().sinkTakes(2).connect();
        bench.post(bench.write(1, 3 * 256));
        assertThat(bench.transmitTurn()).hasSize(2);

        assertThat(bench.transmitTurn()).hasSize(1);

        bench.post(bench.write(2, 5 * 256));
        assertThat(bench.transmit()).as("in as many turns as it takes").hasSize(5);
    }

    /// Makes the window at least 64 packets large.
    private static void openWindow(QueuePairBench bench) {
        bench.post(bench.write(0, 0));
        int sent = bench.transmit().size();
        bench.deliver(TestPacket.ack(bench.sendPsn(sent - 1)));
        LongStream.range(0, 2).forEach(id -> bench.post(bench.write(id, 16 * 4096)));
        sent += bench.transmit().size();
        assertThat(sent).isEqualTo(33);
        bench.deliver(TestPacket.ack(bench.sendPsn(sent - 1)));
    }
}
