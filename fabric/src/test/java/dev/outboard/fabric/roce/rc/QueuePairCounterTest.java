package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What is counted, and that nothing else is.
class QueuePairCounterTest {
    private static final int MTU = 256;

    private final QueuePairBench bench = new QueuePairBench().pathMtu(MTU).connect();

    @Test
    void countsRequestsAndTheirAnswers() {
        bench.post(bench.write(1, MTU + 10));
        bench.post(new SendRequest().id(2).read(0x1000, 0x5EED).payload(bench.region, 0, 10));
        bench.transmit();
        bench.deliver(
                TestPacket.ack(bench.sendPsn(1)),
                TestPacket.of(Opcode.READ_RESP_ONLY, bench.sendPsn(2))
                        .syndrome(Aeth.ACK)
                        .payload(new byte[10]));

        assertThat(counted())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                QueuePairCounter.REQUESTS_SENT, 3L,
                                QueuePairCounter.BYTES_SENT, MTU + 10L,
                                QueuePairCounter.ACKS_RECEIVED, 1L,
                                QueuePairCounter.RESPONSES_RECEIVED, 1L));
    }

    @Test
    void countsWhatIsSentAgainAndWhy() {
        bench.post(bench.write(1, 3 * MTU));
        bench.transmit();
        bench.deliver(TestPacket.nak(bench.sendPsn(1), Aeth.NAK_PSN_SEQUENCE_ERROR));
        bench.transmit();
        bench.deliver(TestPacket.nak(bench.sendPsn(2), Aeth.rnrNak(1)));

        assertThat(counted())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                QueuePairCounter.REQUESTS_SENT, 3L,
                                QueuePairCounter.BYTES_SENT, 3L * MTU,
                                QueuePairCounter.RETRANSMITS, 2L,
                                QueuePairCounter.SEQUENCE_NAKS_RECEIVED, 1L,
                                QueuePairCounter.RNR_NAKS_RECEIVED, 1L));
    }

    @Test
    void countsLostResponsesAndRefusals() {
        bench.post(new SendRequest().id(1).read(0x1000, 0x5EED).payload(bench.region, 0, 10));
        bench.post(bench.send(2, 0));
        bench.transmit();
        bench.deliver(TestPacket.ack(bench.sendPsn(1)));
        bench.deliver(TestPacket.nak(bench.sendPsn(0), Aeth.NAK_REMOTE_ACCESS_ERROR));

        assertThat(counted())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                QueuePairCounter.REQUESTS_SENT, 2L,
                                QueuePairCounter.ACKS_RECEIVED, 1L,
                                QueuePairCounter.RESPONSES_LOST, 1L,
                                QueuePairCounter.ERROR_NAKS_RECEIVED, 1L));
    }

    @Test
    void countsWhatItExecutesAndAnswers() {
        bench.postReceive(1, 0, 10);
        bench.deliver(
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).payload(new byte[10]),
                toRegion(Opcode.READ_REQUEST, 1, 2 * MTU),
                toRegion(Opcode.FETCH_ADD, 3, 0),
                toRegion(Opcode.WRITE_ONLY, 4, 7).ackRequest().payload(new byte[7]));
        bench.transmit();

        assertThat(counted())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                QueuePairCounter.REQUESTS_RECEIVED, 4L,
                                QueuePairCounter.BYTES_RECEIVED, 17L,
                                QueuePairCounter.RESPONSES_SENT, 3L,
                                QueuePairCounter.ACKS_SENT, 1L));
    }

    @Test
    void countsGapsMissingReceivesAndRefusals() {
        bench.deliver(
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(1)),
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(2)),
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)),
                TestPacket.of(Opcode.SEND_LAST, bench.receivePsn(0)).payload((byte) 1));
        bench.transmit();

        assertThat(counted())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                QueuePairCounter.SEQUENCE_NAKS_SENT, 1L,
                                QueuePairCounter.OUT_OF_ORDER_DROPPED, 1L,
                                QueuePairCounter.RNR_NAKS_SENT, 1L,
                                QueuePairCounter.ERROR_NAKS_SENT, 1L));
    }

    private TestPacket toRegion(Opcode opcode, int index, int length) {
        return TestPacket.of(opcode, bench.receivePsn(index))
                .target(bench.region.address(), bench.region.remoteKey(), length);
    }

    /// All counters that are not zero.
    private Map<QueuePairCounter, Long> counted() {
        var counted = new EnumMap<QueuePairCounter, Long>(QueuePairCounter.class);
        for (QueuePairCounter counter : QueuePairCounter.values()) {
            if (bench.counter(counter) != 0) {
                counted.put(counter, bench.counter(counter));
            }
        }
        return counted;
    }
}
