package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// SEND_QUEUE_DRAIN: what was started finishes, what was not waits (roce.md 3.10).
class SendQueueDrainTest {
    private final QueuePairBench bench = new QueuePairBench().window(4).connect();

    private void drain() {
        bench.queuePair.modify(QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN));
    }

    private void resume() {
        bench.queuePair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
    }

    @Test
    @Requirement("ROCE-RC-32")
    void anIdleSendQueueIsDrainedAtOnce() {
        drain();
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.SEND_QUEUE_DRAIN);
        assertThat(bench.events).containsExactly(AsyncEvent.Type.SQ_DRAINED);
    }

    @Test
    @Requirement("ROCE-RC-32")
    void aStartedRequestFinishesAndLaterOnesWait() {
        bench.post(bench.send(1, 6 * 256));
        bench.post(bench.send(2, 10));
        assertThat(bench.transmit()).as("a window").hasSize(4);

        drain();
        bench.post(bench.send(3, 10));
        bench.deliver(TestPacket.ack(bench.sendPsn(3)));
        assertThat(bench.transmit())
                .as("the rest of the request")
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(4), bench.sendPsn(5));
        assertThat(bench.events).isEmpty();
        bench.deliver(TestPacket.ack(bench.sendPsn(5)));

        assertThat(bench.sendCompletions()).containsExactly(success(1));
        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.events).containsExactly(AsyncEvent.Type.SQ_DRAINED);
        assertThat(bench.queuePair.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Requirement("ROCE-RC-32")
    void lossesAreRepairedWhileDraining() {
        bench.post(bench.send(1, 3 * 256));
        bench.transmit();
        drain();

        bench.deliver(TestPacket.nak(bench.sendPsn(1), Aeth.NAK_PSN_SEQUENCE_ERROR));

        assertThat(bench.transmit())
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(1), bench.sendPsn(2));
        bench.runTimer();
        bench.deliver(TestPacket.ack(bench.sendPsn(2)));
        assertThat(bench.sendCompletions()).containsExactly(success(1));
        assertThat(bench.events).containsExactly(AsyncEvent.Type.SQ_DRAINED);
    }

    @Test
    @Requirement("ROCE-RC-32")
    void readyToSendResumesWithWhatWaited() {
        drain();
        bench.post(bench.send(1, 10));
        bench.post(bench.send(2, 10));
        assertThat(bench.transmit()).isEmpty();

        resume();

        assertThat(bench.transmit()).hasSize(2);
        bench.deliver(TestPacket.ack(bench.sendPsn(1)));
        assertThat(bench.sendCompletions()).containsExactly(success(1), success(2));
    }

    @Test
    @Requirement("ROCE-RC-32")
    void eachDrainIsReportedOnce() {
        drain();
        bench.queuePair.modify(QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN).retryCount(3));
        assertThat(bench.events).hasSize(1);
        resume();
        drain();
        assertThat(bench.events)
                .containsExactly(AsyncEvent.Type.SQ_DRAINED, AsyncEvent.Type.SQ_DRAINED);
    }

    @Test
    @Requirement("ROCE-RC-32")
    void theResponderWorksOn() {
        bench.postReceive(1, 0, 10);
        drain();
        TestPacket message =
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0))
                        .payload(new byte[10])
                        .ackRequest();
        assertThat(bench.answerTo(message).syndrome).isEqualTo(Aeth.ACK);
        assertThat(bench.receiveCompletions()).containsExactly(success(1));
    }

    @Test
    @Requirement("ROCE-RC-32")
    void pathAndRetriesMayChangeOnceDrained() {
        drain();
        bench.queuePair.modify(
                QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN)
                        .addressVector(AddressVector.to(Gid.ofIpv4(0x7F000009).toInetAddress()))
                        .timeout(0)
                        .retryCount(0)
                        .minRnrTimer(9));
        assertThat(bench.queuePair.path())
                .isNotNull()
                .satisfies(
                        path -> assertThat(path.destination()).isEqualTo(Gid.ofIpv4(0x7F000009)));

        assertThat(bench.answerTo(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0))).syndrome)
                .isEqualTo(Aeth.rnrNak(9));
        resume();
        bench.post(bench.send(1, 10));
        bench.transmit();
        bench.deliver(TestPacket.nak(bench.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR));
        assertThat(bench.sendCompletions()).as("no retry is left").hasSize(1);
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void theTimeoutMayChangeOnceDrained() {
        drain();
        bench.queuePair.modify(
                QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN).timeout(8).retryCount(0));
        resume();
        bench.post(bench.send(1, 10));
        bench.transmit();

        bench.elapse((4_096L << 8) - 1);
        assertThat(bench.sendCompletions()).isEmpty();
        bench.elapse(1);
        assertThat(bench.sendCompletions()).containsExactly("1 RETRY_EXCEEDED");
    }

    @Test
    void moreReadsMayBeOutstandingOnceDrained() {
        var reader = new QueuePairBench().readAtomics(1, 0).connect();
        reader.queuePair.modify(QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN));
        reader.queuePair.modify(
                QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN).maxReadAtomic(3));
        reader.queuePair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
        for (int id = 1; id <= 4; id++) {
            reader.post(new SendRequest().id(id).read(0x1000, 0x5EED).payload(reader.region, 0, 1));
        }
        assertThat(reader.transmit()).hasSize(3);

        reader.deliver(
                TestPacket.of(Opcode.READ_RESP_ONLY, reader.sendPsn(0))
                        .syndrome(Aeth.ACK)
                        .payload(new byte[1]));

        assertThat(reader.transmitOne().psn).isEqualTo(reader.sendPsn(3));
    }

    @Test
    @Requirement({"ROCE-RC-31", "ROCE-RC-32"})
    void errorFlushesWhatWaited() {
        drain();
        bench.post(bench.send(1, 10));
        bench.queuePair.modify(QueuePairChange.to(QueuePairState.ERROR));
        assertThat(bench.sendCompletions()).containsExactly(flushed(1));
    }
}
