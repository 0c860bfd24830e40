package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What a queue pair does in each of its states, and between them (roce.md 3.10).
class QueuePairStateTest {
    private static final int MTU = 256;

    private final QueuePairBench bench = new QueuePairBench().create();

    private void init(Access... access) {
        bench.queuePair.modify(QueuePairChange.to(QueuePairState.INIT).access(access));
    }

    private void readyToReceive() {
        bench.queuePair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(AddressVector.to(Gid.ofIpv4(0x7F000003).toInetAddress()))
                        .pathMtu(MTU)
                        .destinationNumber(QueuePairBench.PEER_QPN)
                        .receivePsn(bench.receivePsn(0))
                        .maxDestinationReadAtomic(1)
                        .minRnrTimer(14));
    }

    private void readyToSend() {
        bench.queuePair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_SEND)
                        .sendPsn(bench.sendPsn(0))
                        .timeout(14)
                        .retryCount(7)
                        .rnrRetryCount(7)
                        .maxReadAtomic(1));
    }

    private void change(QueuePairState state) {
        bench.queuePair.modify(QueuePairChange.to(state));
    }

    /// Brings the fresh queue pair to `state`.
    private void bringTo(QueuePairState state) {
        switch (state) {
            case RESET -> change(QueuePairState.RESET);
            case INIT -> {}
            case READY_TO_RECEIVE -> readyToReceive();
            case READY_TO_SEND -> {
                readyToReceive();
                readyToSend();
            }
            case SEND_QUEUE_DRAIN, ERROR -> {
                bringTo(QueuePairState.READY_TO_SEND);
                change(state);
            }
            case SEND_QUEUE_ERROR -> throw new AssertionError("datagrams only");
        }
        assertThat(bench.queuePair.state()).isEqualTo(state);
    }

    private TestPacket message(int index, int length) {
        return TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(index))
                .payload(new byte[length])
                .ackRequest();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_QUEUE_ERROR")
    @Requirement("ROCE-RC-30")
    void sendsMayBePostedFromReadyToSendOnAndInError(QueuePairState state) {
        bringTo(state);
        boolean mayPost =
                switch (state) {
                    case READY_TO_SEND, SEND_QUEUE_DRAIN, ERROR -> true;
                    default -> false;
                };
        if (mayPost) {
            assertThat(bench.queuePair.post(bench.send(1, 10))).isTrue();
        } else {
            assertThatThrownBy(() -> bench.queuePair.post(bench.send(1, 10)))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_STATE))
                    .hasMessageContaining("queue pair " + QueuePairBench.QPN)
                    .hasMessageContaining(state.name())
                    .hasMessageContaining("READY_TO_SEND");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_QUEUE_ERROR")
    @Requirement("ROCE-RC-30")
    void receivesMayBePostedInEveryStateButReset(QueuePairState state) {
        bringTo(state);
        ReceiveRequest receive = new ReceiveRequest().id(1).buffer(bench.region, 0, 10);
        if (state == QueuePairState.RESET) {
            assertThatThrownBy(() -> bench.queuePair.post(receive))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("RESET")
                    .hasMessageContaining("INIT");
        } else {
            assertThat(bench.queuePair.post(receive)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RESET", "INIT", "ERROR"})
    @Requirement("ROCE-RC-20")
    void aStateThatReceivesNothingDropsInSilence(QueuePairState state) {
        if (state != QueuePairState.RESET) {
            bench.postReceive(1, 0, 100);
        }
        bringTo(state);
        bench.receiveCompletions();
        byte[] before = bench.bytes(0, 100);

        assertThat(bench.answersTo(message(0, 100), message(5, 100))).isEmpty();
        assertThat(bench.answersTo(TestPacket.ack(bench.sendPsn(0)))).isEmpty();

        assertThat(bench.queuePair.state()).isEqualTo(state);
        assertThat(bench.receiveCompletions()).isEmpty();
        assertThat(bench.bytes(0, 100)).isEqualTo(before);
        assertThat(bench.counter(QueuePairCounter.WRONG_STATE_DROPPED)).isEqualTo(3);
    }

    @Test
    @Requirement("ROCE-RC-20")
    void nobodyIsThePeerOfAQueuePairWithoutConnection() {
        for (QueuePairState state : List.of(QueuePairState.INIT, QueuePairState.RESET)) {
            bringTo(state);
            assertThat(bench.queuePair.path()).isNull();
        }
        init();
        readyToReceive();
        assertThat(bench.queuePair.path()).isNotNull();
        change(QueuePairState.RESET);
        assertThat(bench.queuePair.path()).as("the old peer is forgotten").isNull();
    }

    @Test
    void readyToReceiveAnswersAndTellsOnceThatThePeerSends() {
        bench.postReceive(1, 0, 100);
        bench.postReceive(2, 0, 100);
        readyToReceive();
        assertThat(bench.events).isEmpty();

        assertThat(bench.answerTo(message(0, 100)).syndrome).isEqualTo(Aeth.ACK);
        assertThat(bench.answerTo(message(1, 100)).psn).isEqualTo(bench.receivePsn(1));

        assertThat(bench.receiveCompletions()).containsExactly(success(1), success(2));
        assertThat(bench.events).containsExactly(AsyncEvent.Type.COMMUNICATION_ESTABLISHED);
    }

    @Test
    void theAttributesOfTheTransitionsAreThoseOnTheWire() {
        readyToReceive();
        assertThat(bench.answerTo(message(0, 10)).syndrome).isEqualTo(Aeth.rnrNak(14));
        readyToSend();
        bench.post(bench.send(1, MTU + 1));
        assertThat(bench.transmit())
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(0), bench.sendPsn(1));
    }

    @Test
    void theRnrTimerMayChangeWhileTheQueuePairWorks() {
        bringTo(QueuePairState.READY_TO_SEND);
        bench.queuePair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND).minRnrTimer(3));
        assertThat(bench.answerTo(message(0, 10)).syndrome).isEqualTo(Aeth.rnrNak(3));
    }

    @Test
    void thePeerMayDoOnlyWhatTheQueuePairGrants() {
        init(Access.REMOTE_READ);
        bringTo(QueuePairState.READY_TO_SEND);
        TestPacket write =
                TestPacket.of(Opcode.WRITE_ONLY, bench.receivePsn(0))
                        .target(bench.region.address(), bench.region.remoteKey(), 4)
                        .payload(new byte[4]);

        assertThat(bench.answerTo(write).syndrome).isEqualTo(Aeth.NAK_INVALID_REQUEST);

        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(bench.events).containsExactly(AsyncEvent.Type.QP_REQUEST_ERROR);
    }

    @Test
    void rightsMayBeGrantedWhileTheQueuePairWorks() {
        init();
        bringTo(QueuePairState.READY_TO_SEND);
        bench.queuePair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_SEND).access(Access.REMOTE_WRITE));
        TestPacket write =
                TestPacket.of(Opcode.WRITE_ONLY, bench.receivePsn(0))
                        .target(bench.region.address(), bench.region.remoteKey(), 4)
                        .payload(new byte[4])
                        .ackRequest();
        assertThat(bench.answerTo(write).syndrome).isEqualTo(Aeth.ACK);
    }

    @Test
    @Requirement("ROCE-RC-31")
    void errorFlushesBothQueuesInOrderFromEveryStateThatHoldsRequests() {
        bringTo(QueuePairState.READY_TO_SEND);
        for (int id = 1; id <= 3; id++) {
            bench.post(bench.send(id, 10).signaled(id != 2));
            bench.postReceive(10 + id, 0, 10);
        }
        bench.transmit();

        change(QueuePairState.ERROR);

        assertThat(bench.sendCompletions()).containsExactly(flushed(1), flushed(2), flushed(3));
        assertThat(bench.receiveCompletions())
                .containsExactly(flushed(11), flushed(12), flushed(13));
        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.events).as("the application knows what it asked for").isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"INIT", "READY_TO_RECEIVE", "SEND_QUEUE_DRAIN"})
    @Requirement("ROCE-RC-31")
    void errorFlushesReceivesFromEarlyStatesToo(QueuePairState state) {
        bringTo(state);
        bench.postReceive(1, 0, 10);
        change(QueuePairState.ERROR);
        assertThat(bench.receiveCompletions()).containsExactly(flushed(1));
    }

    @Test
    @Requirement("ROCE-RC-31")
    void resetIsSilentAndForgetsEverything() {
        bringTo(QueuePairState.READY_TO_SEND);
        bench.post(bench.send(1, 3 * MTU));
        bench.post(bench.send(2, 10));
        bench.postReceive(11, 0, 1000);
        bench.postReceive(12, 0, 10);
        bench.transmit();
        bench.deliver(TestPacket.of(Opcode.SEND_FIRST, bench.receivePsn(0)).payload(new byte[MTU]));

        change(QueuePairState.RESET);

        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.sendCompletions()).isEmpty();
        assertThat(bench.receiveCompletions()).isEmpty();
        assertThat(bench.queuePair.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(bench.queuePair.counters().total()).isZero();
        change(QueuePairState.ERROR);
        assertThat(bench.sendCompletions()).as("nothing is left to flush").isEmpty();
        assertThat(bench.receiveCompletions()).isEmpty();
    }

    @Test
    void hearsItsPeerOnly() {
        Gid peer = QueuePairBench.PEER;
        var packet = new Packet();
        packet.from(peer.high(), peer.low(), 0, 0);
        assertThat(bench.queuePair.accepts(packet)).as("before it has one").isFalse();

        bringTo(QueuePairState.READY_TO_SEND);

        assertThat(bench.queuePair.accepts(packet)).isTrue();
        packet.from(peer.high(), peer.low() + 1, 0, 0);
        assertThat(bench.queuePair.accepts(packet)).isFalse();
        packet.from(peer.high() + 1, peer.low(), 0, 0);
        assertThat(bench.queuePair.accepts(packet)).isFalse();
    }

    /// The network takes no packet that long: none of them will ever arrive.
    @Test
    void aPathThatIsTooNarrowFailsTheOldestRequest() {
        bringTo(QueuePairState.READY_TO_SEND);
        Path path = bench.queuePair.connection().path();
        bench.post(bench.send(1, 10));
        bench.post(bench.send(2, 10));

        bench.queuePair.tooLong(
                new Path(path.source(), path.source(), path.sourcePort(), path.trafficClass()));
        assertThat(bench.sendCompletions()).as("of another").isEmpty();
        bench.queuePair.tooLong(path);

        assertThat(bench.sendCompletions())
                .containsExactly("1 LOCAL_QP_OPERATION_ERROR", flushed(2));
    }

    @Test
    @Requirement("ROCE-RC-31")
    void aQueuePairWorksAgainAfterErrorAndReset() {
        bringTo(QueuePairState.READY_TO_SEND);
        bench.post(bench.send(1, 3 * MTU));
        bench.postReceive(11, 0, 1000);
        bench.transmit();
        bench.deliver(TestPacket.of(Opcode.SEND_FIRST, bench.receivePsn(0)).payload(new byte[MTU]));
        change(QueuePairState.ERROR);
        assertThat(bench.sendCompletions()).hasSize(1);
        assertThat(bench.receiveCompletions()).hasSize(1);

        change(QueuePairState.RESET);
        init(Access.REMOTE_WRITE);
        bench.postReceive(12, 0, 1000);
        readyToReceive();
        readyToSend();

        bench.post(bench.send(2, 10));
        assertThat(bench.transmitOne().psn).as("from the start").isEqualTo(bench.sendPsn(0));
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        assertThat(bench.sendCompletions()).containsExactly(success(2));
        assertThat(bench.answerTo(message(0, 10)).msn).as("counted anew").isEqualTo(1);
        assertThat(bench.receiveCompletions()).containsExactly(success(12));
    }

    @Test
    @Requirement("ROCE-RC-30")
    void aRefusedChangeChangesNothing() {
        bringTo(QueuePairState.READY_TO_SEND);
        bench.post(bench.send(1, 10));
        assertThatThrownBy(() -> change(QueuePairState.READY_TO_RECEIVE))
                .isInstanceOf(FabricException.class);
        assertThatThrownBy(() ->
                        bench.queuePair.modify(
                                QueuePairChange.to(QueuePairState.READY_TO_SEND)
                                        .noAccess()
                                        .minRnrTimer(32)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("MIN_RNR_TIMER is 32");
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(bench.transmit()).hasSize(1);
        assertThat(bench.queuePair.permits(Access.REMOTE_WRITE)).isTrue();
    }
}
