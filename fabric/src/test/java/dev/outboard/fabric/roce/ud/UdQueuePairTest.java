package dev.outboard.fabric.roce.ud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.transport.Port;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.fabric.verbs.ReceiveQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a datagram queue pair is, and how it ends.
final class UdQueuePairTest {
    private static final int GRH = RouteHeader.LENGTH;

    private final UdEnd near = new UdEnd("127.0.0.2", 0x11);
    private final UdEnd far = new UdEnd("127.0.0.3", 0x22);

    @Test
    void isADatagramQueuePairWithoutPeerAndTimer() {
        assertThat(near.queuePair.number()).isEqualTo(0x11);
        assertThat(near.queuePair.type()).isEqualTo(QueuePairType.UNRELIABLE_DATAGRAM);
        assertThat(near.queuePair.path()).isNull();
        assertThat(near.queuePair.queueKey()).isEqualTo(UdEnd.QUEUE_KEY);
        assertThat(near.queuePair.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(near.queuePair.onTimer(0)).isFalse();
        assertThat(near.queuePair.isWaitingForAnswers()).isFalse();
        assertThat(near.queuePair.mayAnswerLater()).isFalse();
    }

    @Test
    void countsWhatItSendsAndReceivesUntilItIsReset() {
        far.postReceive(1, 0, 1000);
        near.post(near.sendTo(far, 5));
        near.exchange(far);

        assertThat(counters(near))
                .containsEntry("datagrams-sent", 1L)
                .containsEntry("bytes-sent", 5L);
        assertThat(counters(far))
                .containsEntry("datagrams-received", 1L)
                .containsEntry("bytes-received", 5L);
        assertThat(far.queuePair.bytesReceived()).isEqualTo(5);
        far.modify(QueuePairState.RESET);
        assertThat(far.queuePair.bytesReceived()).isZero();
    }

    private static Map<String, Long> counters(UdEnd end) {
        Map<String, Long> counters = new TreeMap<>();
        end.queuePair.countersTo(counters);
        return counters;
    }

    @Test
    void theKeyIsTheLastThatWasGiven() {
        near.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND).queueKey(77));
        assertThat(near.queuePair.queueKey()).isEqualTo(77);
        near.modify(QueuePairState.READY_TO_SEND);
        assertThat(near.queuePair.queueKey()).isEqualTo(77);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1 << 24})
    void aDestinationIsANumberOf24Bits(int number) {
        SendRequest request = near.sendTo(far, 8).to(near.handleTo(far), number, 1);

        assertThatThrownBy(() -> near.queuePair.post(request))
                .isInstanceOf(FabricException.class)
                .hasMessage(
                        "queue pair 17: the destination is queue pair "
                                + number
                                + "; valid: 1 to 0xffffff");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 0xFFFFFF})
    void anySuchNumberMayBeADestination(int number) {
        near.post(near.sendTo(far, 8).to(near.handleTo(far), number, 1));
        near.transmit();

        assertThat(near.sent(0).destinationQpn()).isEqualTo(number);
    }

    @Test
    void aMessageInPiecesMayFillThePacket() {
        near.post(near.sendTo(far, UdEnd.MTU - 1).appendPayload(near.region, 0, 1));
        near.transmit();
        assertThat(near.sent(0).payloadLength()).isEqualTo(UdEnd.MTU);

        SendRequest tooLong =
                near.sendTo(far, UdEnd.MTU - 1)
                        .appendPayload(near.region, 0, 1)
                        .appendPayload(near.region, 0, 1);
        assertThatThrownBy(() -> near.queuePair.post(tooLong))
                .isInstanceOf(FabricException.class)
                .hasMessage(
                        "queue pair 17: a datagram of 1025 bytes does not fit one packet;"
                                + " valid: at most 1024, the MTU of the port");
    }

    @Test
    void wantsToBeCalledUntilAllIsSentAndComplete() {
        assertThat(near.transmit()).isFalse();
        near.post(near.sendTo(far, 8));
        assertThat(near.transmit()).as("to complete what the sink has").isTrue();
        assertThat(near.transmit()).isFalse();
        near.takeSent();

        near.post(near.sendTo(far, 8));
        near.modify(QueuePairState.SEND_QUEUE_DRAIN);
        assertThat(near.transmit()).as("nothing starts while it drains").isFalse();
    }

    @Test
    void tellsThatItIsDrainedOnceEachTime() {
        near.modify(QueuePairState.SEND_QUEUE_DRAIN);
        near.transmit();
        near.modify(QueuePairState.SEND_QUEUE_DRAIN);
        assertThat(near.events).containsExactly(AsyncEvent.Type.SQ_DRAINED);

        near.modify(QueuePairState.READY_TO_SEND);
        near.modify(QueuePairState.SEND_QUEUE_DRAIN);
        assertThat(near.events)
                .containsExactly(AsyncEvent.Type.SQ_DRAINED, AsyncEvent.Type.SQ_DRAINED);
    }

    @Test
    void aPathThatNoPacketTookFailsNothing() {
        near.post(near.sendTo(far, 8));
        near.transmit();
        near.queuePair.tooLong(
                new Path(near.gid, UdEnd.gid("127.0.0.9"), Path.DESTINATION_PORT, 0));
        near.transmit();

        assertThat(near.takeSent().status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(near.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void aReceiveWhoseArenaIsClosedFailsTheQueuePair() {
        Arena arena = Arena.ofShared();
        RegisteredRegion gone = far.register(arena.allocate(100));
        far.queuePair.post(new ReceiveRequest().id(4).buffer(gone, 0, 100));
        near.post(near.sendTo(far, 5));
        near.transmit();
        arena.close();
        near.carryTo(far);

        assertThat(far.takeReceived().status()).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertThat(far.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void inErrorItFlushesWhatIsPosted() {
        near.modify(QueuePairState.ERROR);
        near.post(near.sendTo(far, 8).id(5));
        near.postReceive(6, 0, 100);
        near.transmit();

        assertThat(near.takeSent().status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(near.takeReceived().status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(near.sink.count()).isZero();
        assertThat(near.transmit()).isFalse();
    }

    @Test
    void whoSharesItsReceivesTellsOnceThatItTakesNoMore() {
        ReceiveQueue shared = new ReceiveQueue(near.regions, 4, 1);
        QueuePairCore core =
                new QueuePairCore(
                        0x33,
                        UdEnd.DOMAIN,
                        near.regions,
                        near.sendCompletions,
                        near.receiveCompletions,
                        new QueueSizes(4, 4, 1, 0),
                        Optional.of(shared),
                        false,
                        near.events::add);
        UdQueuePair sharing = new UdQueuePair(core, new Port(near.gid, UdEnd.MTU), reason -> {});
        sharing.fail();
        sharing.fail();

        assertThat(near.events).containsExactly(AsyncEvent.Type.QP_LAST_WQE_REACHED);
        near.queuePair.fail();
        assertThat(near.events).as("one with its own receives tells nothing").hasSize(1);
    }

    @Test
    void aFullCompletionQueueOfReceivesFailsTheQueuePairOnce() {
        for (int i = 0; i <= UdEnd.DEPTH; i++) {
            far.postReceive(i, 0, 1000);
            near.post(near.sendTo(far, 5).signaled(false));
            near.exchange(far);
        }

        assertThat(far.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(far.events).containsExactly(AsyncEvent.Type.QP_FATAL);
        Completion completion = new Completion();
        int polled = 0;
        while (far.receiveCompletions.poll(completion)) {
            polled++;
        }
        assertThat(polled).isEqualTo(UdEnd.DEPTH);
    }

    /// The datagram before took the last place.
    @ParameterizedTest
    @ValueSource(ints = {GRH + 4, GRH + 5})
    void aFailedReceiveThatFindsNoPlaceIsCountedAndFailsTheQueuePair(int room) {
        for (int i = 0; i < UdEnd.DEPTH; i++) {
            far.postReceive(i, 0, 1000);
            near.post(near.sendTo(far, 5).signaled(false));
            near.exchange(far);
        }
        assertThat(far.events).isEmpty();
        RegisteredRegion gone = far.register(Arena.ofAuto().allocate(room));
        far.queuePair.post(new ReceiveRequest().id(4).buffer(gone, 0, room));
        gone.close();
        near.post(near.sendTo(far, 5));
        near.exchange(far);

        assertThat(counters(far)).containsEntry("completion-queue-overruns", 1L);
        assertThat(far.events).containsExactly(AsyncEvent.Type.QP_FATAL);
        assertThat(far.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void aFailedSendThatFindsNoPlaceIsCountedAndFailsTheQueuePair() {
        fillSendCompletions();
        near.post(near.sendTo(far, 8));
        near.transmit();
        near.queuePair.tooLong(near.sink.path(0));

        assertThat(counters(near)).containsEntry("completion-queue-overruns", 1L);
        assertThat(near.events).containsExactly(AsyncEvent.Type.QP_FATAL);
        assertThat(near.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void whatIsFlushedAndFindsNoPlaceIsCounted() {
        fillSendCompletions();
        near.post(near.sendTo(far, 8));
        near.modify(QueuePairState.ERROR);
        near.transmit();

        assertThat(counters(near)).containsEntry("completion-queue-overruns", 1L);
    }

    private void fillSendCompletions() {
        for (int i = 0; i < 2 * UdEnd.DEPTH; i++) {
            near.post(near.sendTo(far, 8));
            near.exchange(far);
        }
        assertThat(near.events).isEmpty();
    }

    @Test
    void whatFindsNoPlaceIsNotPosted() {
        SendRequest send = near.sendTo(far, 8);
        ReceiveRequest receive = new ReceiveRequest().buffer(near.region, 0, 100);
        for (int i = 0; i < UdEnd.DEPTH; i++) {
            assertThat(near.queuePair.post(send)).isTrue();
            assertThat(near.queuePair.post(receive)).isTrue();
        }

        assertThat(near.queuePair.post(send)).isFalse();
        assertThat(near.queuePair.post(receive)).isFalse();
    }

    @Test
    void aResetForgetsWhatWasPosted() {
        far.postReceive(1, 0, 1000);
        far.post(far.sendTo(near, 8));
        far.modify(QueuePairState.RESET);
        far.modify(QueuePairChange.to(QueuePairState.INIT).queueKey(UdEnd.QUEUE_KEY));
        far.modify(QueuePairState.READY_TO_RECEIVE);
        far.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND).sendPsn(0));
        near.post(near.sendTo(far, 5));

        assertThat(near.exchange(far)).isEqualTo(Discard.NO_RECEIVE);
        assertThat(far.transmit()).isFalse();
        assertThat(far.sink.count()).isZero();
    }

    @Test
    void aChangeThatIsNotPossibleChangesNothing() {
        QueuePairChange back = QueuePairChange.to(QueuePairState.INIT).queueKey(5);
        assertThatThrownBy(() -> near.modify(back)).isInstanceOf(FabricException.class);

        assertThat(near.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(near.queuePair.queueKey()).isEqualTo(UdEnd.QUEUE_KEY);
    }

    @Test
    void whoeverKnowsTheKeyMaySend() {
        near.post(near.sendTo(far, 5));
        near.transmit();

        assertThat(far.queuePair.accepts(near.sent(0))).isTrue();
    }

    @Test
    void anAddressHandleIsReleasedOnce() {
        int[] closed = {0};
        AddressVector vector = AddressVector.to(InetAddress.ofLiteral("127.0.0.3"));
        Path path = new Path(near.gid, far.gid, Path.DESTINATION_PORT, 0);
        UdAddressHandle handle = new UdAddressHandle(vector, path, 7, () -> closed[0]++);

        assertThat(handle.vector()).isEqualTo(vector);
        assertThat(handle).hasToString("address handle to 127.0.0.3");
        handle.close();
        handle.close();
        assertThat(closed[0]).isEqualTo(1);
    }

    /// The class without its congestion bits, and the label of a flow, which only IPv6 has.
    @Test
    void theWayBackKeepsClassAndFlow() {
        byte[] header = new byte[GRH];
        header[0] = 0x62;
        header[1] = (byte) 0xB1;
        header[2] = 0x23;
        header[3] = 0x45;
        header[23] = 9;
        MemorySegment memory = Arena.ofAuto().allocate(GRH + 8, 8);
        MemorySegment.copy(header, 0, memory, ValueLayout.JAVA_BYTE, 8, GRH);

        assertThat(RouteHeader.replyVector(memory, 8))
                .contains(new AddressVector(InetAddress.ofLiteral("::9"), 0x28, 0x12345));
        assertThat(RouteHeader.replyVector(memory, 9)).isEmpty();
        memory.fill((byte) 0);
        assertThat(RouteHeader.replyVector(memory, 0)).as("no header at all").isEmpty();
    }
}
