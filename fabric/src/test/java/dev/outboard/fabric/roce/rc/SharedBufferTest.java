package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Two queue pairs of one device that send to the same peer, whose receive buffer is small: 15
/// packets until it has answered, then 22 (roce.md 6).
class SharedBufferTest {
    private static final int MTU = 4096;
    private static final int FIRST_PACKETS = 15;
    private static final int BUFFER_PACKETS = 22;
    private static final int ACKS_LIKE_A_PACKET = 10;
    private static final int OTHER = 0x12;

    private final CongestionControl congestion = new CongestionControl(false, 0);
    private QueuePairBench one = connect(QueuePairBench.QPN, 0);
    private final QueuePairBench other = connect(OTHER, 0);

    private QueuePairBench connect(int number, int ackTimeoutCode) {
        return new QueuePairBench()
                .pathMtu(MTU)
                .retries(ackTimeoutCode, 7)
                .number(number)
                .congestion(congestion)
                .connect();
    }

    /// Messages of 5 and 10 packets fill the buffer, and the other queue pair has to wait.
    private void fill() {
        one.post(one.write(1, 5 * MTU));
        one.post(one.write(2, 10 * MTU));
        assertThat(one.transmit()).hasSize(FIRST_PACKETS);
        other.post(other.write(3, 10));
        assertThat(other.transmit()).isEmpty();
        assertThat(named()).isEmpty();
    }

    @Test
    void thePacketThatFillsTheBufferAsksForAnAnswer() {
        one.post(one.write(1, 16 * MTU));

        List<TestPacket> packets = one.transmit();

        assertThat(packets).hasSize(FIRST_PACKETS);
        assertThat(packets.getLast().ackRequest).isTrue();
    }

    @Test
    void anAcknowledgementMakesRoomForTheOther() {
        fill();

        one.deliver(TestPacket.ack(one.sendPsn(4)));

        assertThat(named()).containsExactly(OTHER);
        assertThat(other.transmit()).hasSize(1);
        assertThat(named()).as("it had its turn").isEmpty();
    }

    @Test
    void oneThatTheSinkDoesNotTakeFurtherLetsOthersGoFirst() {
        fill();
        other.post(other.write(4, 10));
        one.deliver(TestPacket.ack(one.sendPsn(4)));
        other.sinkTakes(1);

        assertThat(other.transmitTurn()).hasSize(1);

        assertThat(named()).isEmpty();
    }

    @Test
    void aRefusalMakesRoomForTheOther() {
        fill();

        one.deliver(TestPacket.nak(one.sendPsn(4), Aeth.rnrNak(12)));

        assertThat(named()).containsExactly(OTHER);
    }

    /// It is about the first copies; the second have not left.
    @Test
    void anAcknowledgementOfEverythingMakesRoomThoughAllWasToBeRepeated() {
        fill();
        one.deliver(TestPacket.nak(one.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR));
        assertThat(named()).isEmpty();

        one.deliver(TestPacket.ack(one.sendPsn(FIRST_PACKETS - 1)));

        assertThat(named()).containsExactly(OTHER);
    }

    /// Nothing else could find out that there is room again.
    @Test
    void theOldestPacketGoesAgainAloneAlthoughTheBufferIsFull() {
        fill();
        one.deliver(TestPacket.nak(one.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR));

        TestPacket again = one.transmitOne();

        assertThat(again.psn).isEqualTo(one.sendPsn(0));
        assertThat(again.ackRequest).isTrue();
        one.deliver(TestPacket.ack(one.sendPsn(0)));
        assertThat(other.transmit()).hasSize(1);
        assertThat(one.transmit()).hasSize(FIRST_PACKETS - 1);
    }

    @Test
    void whatIsRepeatedIsInTheBufferWhereItStandsNow() {
        one.post(one.write(1, MTU));
        one.post(one.write(2, MTU));
        one.transmit();
        one.deliver(TestPacket.nak(one.sendPsn(0), Aeth.NAK_PSN_SEQUENCE_ERROR));
        one.transmit();

        one.deliver(TestPacket.ack(one.sendPsn(0)));

        for (int i = 0; i < BUFFER_PACKETS; i++) {
            other.post(other.write(3 + i, MTU));
        }
        assertThat(other.transmit())
                .as("beside one that is not answered")
                .hasSize(BUFFER_PACKETS - 1);
    }

    @Test
    void aTimeoutMakesRoomForTheOther() {
        one = connect(QueuePairBench.QPN, 8);
        fill();

        while (one.counter(QueuePairCounter.TIMEOUTS) == 0) {
            one.elapse(one.queuePair.deadlineNanos() - one.now);
        }

        assertThat(named()).containsExactly(OTHER);
    }

    @Test
    void eightSilentProbesMakeRoomForTheOther() {
        fill();

        for (int probe = 1; probe <= 8; probe++) {
            assertThat(named()).as("before probe %d", probe).isEmpty();
            one.elapse(one.queuePair.deadlineNanos() - one.now);
        }

        assertThat(named()).containsExactly(OTHER);
    }

    @Test
    void aQueuePairThatFailsIsResetOrClosedMakesRoomForTheOther() {
        List<Consumer<RcQueuePair>> ends =
                List.of(
                        RcQueuePair::fail,
                        queuePair -> queuePair.modify(QueuePairChange.to(QueuePairState.RESET)),
                        RcQueuePair::close);
        for (Consumer<RcQueuePair> end : ends) {
            var test = new SharedBufferTest();
            test.fill();

            end.accept(test.one.queuePair);

            assertThat(test.named()).containsExactly(OTHER);
        }
    }

    @Test
    void theBufferIsForgottenWhenNobodySendsToThePeerAnyMore() {
        PeerBuffer buffer = congestion.join(QueuePairBench.PEER);
        congestion.leave(QueuePairBench.PEER);
        one.queuePair.close();
        assertThat(congestion.join(QueuePairBench.PEER)).isSameAs(buffer);
        congestion.leave(QueuePairBench.PEER);

        move(other);

        assertThat(congestion.join(QueuePairBench.PEER)).isNotSameAs(buffer);
    }

    @Test
    void aQueuePairThatMovesDoesNotWaitForItsOldPeer() {
        fill();

        move(other);

        assertThat(other.transmit()).hasSize(1);
        assertThat(named()).isEmpty();
    }

    private static void move(QueuePairBench bench) {
        AddressVector elsewhere = AddressVector.to(Gid.ofIpv4(0x7F000009).toInetAddress());
        bench.queuePair.modify(QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN));
        bench.queuePair.modify(
                QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN).addressVector(elsewhere));
        bench.queuePair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
    }

    @Test
    void aPeerThatDeclaresALargerBufferGetsMore() {
        congestion.declare(Gid.ofIpv4(0x7F000009), 8 << 20);
        congestion.declare(QueuePairBench.PEER, 8 << 20);
        one.post(one.write(1, 10));
        one.transmit();
        one.deliver(TestPacket.ack(one.sendPsn(0)));
        one.post(one.write(2, 16 * MTU));
        one.post(one.write(3, 16 * MTU));

        assertThat(one.transmit()).hasSize(32);
    }

    @Test
    void probesTakeRoomToo() {
        one.post(one.write(1, 10));
        one.transmit();
        one.deliver(TestPacket.ack(one.sendPsn(0)));
        one.post(one.write(2, 10 * MTU));
        one.post(one.write(3, 10 * MTU));
        assertThat(one.transmit()).hasSize(20);

        assertThat(one.runTimer()).hasSize(2);

        other.post(other.write(4, MTU));
        assertThat(other.transmit()).isEmpty();
    }

    @Test
    void acknowledgementsAndResponsesTakeRoomToo() {
        other.post(other.write(1, 10));
        other.transmit();
        other.deliver(TestPacket.ack(other.sendPsn(0)));
        one.deliver(
                TestPacket.of(Opcode.READ_REQUEST, one.receivePsn(0))
                        .target(one.region.address(), one.region.remoteKey(), 5 * MTU));
        assertThat(one.transmit()).hasSize(5);
        for (int i = 0; i < ACKS_LIKE_A_PACKET; i++) {
            one.answerTo(TestPacket.of(Opcode.WRITE_ONLY, one.receivePsn(5 + i)).ackRequest());
        }

        other.post(other.write(2, 16 * MTU));
        other.post(other.write(3, 16 * MTU));

        assertThat(other.transmit()).hasSize(BUFFER_PACKETS - 5 - 1);
    }

    /// The queue pairs that may go on.
    private List<Integer> named() {
        var numbers = new ArrayList<Integer>();
        congestion.admit(numbers::add);
        return numbers;
    }
}
