package dev.outboard.fabric.roce.ud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/// The send queue of a datagram queue pair (roce.md 4).
final class SendTest {
    private final UdEnd near = new UdEnd("127.0.0.2", 0x11);
    private final UdEnd far = new UdEnd("127.0.0.3", 0x22);

    @Test
    @Requirement("ROCE-UD-1")
    void oneMessageIsOnePacketWithKeySourceAndDestination() {
        near.post(near.sendTo(far, 5).id(1));
        near.post(near.sendTo(far, UdEnd.MTU).id(2).sendWithImmediate(0xCAFE).solicited(true));
        near.transmit();

        assertThat(near.sink.count()).isEqualTo(2);
        Packet first = near.sent(0);
        assertThat(first.opcode()).isEqualTo(Opcode.UD_SEND_ONLY);
        assertThat(first.destinationQpn()).isEqualTo(0x22);
        assertThat(first.sourceQpn()).isEqualTo(0x11);
        assertThat(first.queueKey()).isEqualTo(UdEnd.QUEUE_KEY);
        assertThat(first.psn()).isEqualTo(UdEnd.FIRST_PSN);
        assertThat(first.ackRequest()).isFalse();
        assertThat(first.payloadLength()).isEqualTo(5);
        Packet second = near.sent(1);
        assertThat(second.opcode()).isEqualTo(Opcode.UD_SEND_ONLY_IMM);
        assertThat(second.psn()).isZero();
        assertThat(second.solicited()).isTrue();
        assertThat(second.immediate()).isEqualTo(0xCAFE);
        assertThat(second.payloadLength()).isEqualTo(UdEnd.MTU);
    }

    @Test
    @Requirement("ROCE-UD-1")
    void aKeyWithTheTopBitSetStandsForTheQueuePairsOwn() {
        near.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND).queueKey(0x77));
        near.post(near.sendTo(far, 5).to(near.handleTo(far), 0x22, 0x8000_0000));
        near.transmit();

        assertThat(near.sent(0).queueKey()).isEqualTo(0x77);
    }

    @Test
    void completesOnlyWhenTheSinkHasSentThePacket() {
        near.post(near.sendTo(far, 300).id(5));

        assertThat(near.transmit()).as("wants to complete").isTrue();
        assertThat(near.sendCompletions.poll(new Completion())).isFalse();
        assertThat(near.transmit()).as("wants nothing more").isFalse();
        Completion sent = near.takeSent();
        assertThat(sent.id()).isEqualTo(5);
        assertThat(sent.status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(sent.opcode()).isEqualTo(CompletionOpcode.SEND);
    }

    @Test
    void anUnsignaledSendSucceedsSilentlyAndFreesItsSlot() {
        for (int i = 0; i < 3 * UdEnd.DEPTH; i++) {
            near.post(near.sendTo(far, 8).signaled(false));
            near.exchange(far);
        }
        assertThat(near.sendCompletions.poll(new Completion())).isFalse();
    }

    @Test
    void oneTurnSendsItsShareAndAFullSinkHoldsTheRest() {
        for (int i = 0; i < UdEnd.DEPTH; i++) {
            near.post(near.sendTo(far, 8));
        }
        assertThat(near.transmit()).isTrue();
        assertThat(near.sink.count()).isEqualTo(UdQueuePair.PACKETS_PER_TURN);
        near.transmit();
        assertThat(near.transmit()).isTrue();
        assertThat(near.sink.count()).isEqualTo(UdEnd.DEPTH);
        assertThat(near.transmit()).isFalse();
    }

    @Test
    @Requirement("ROCE-UD-3")
    void aMessageLongerThanThePortsMtuIsRefused() {
        SendRequest tooLong =
                near.sendTo(far, UdEnd.MTU).appendPayload(near.region, 0, 1).signaled(true);

        assertThatThrownBy(() -> near.queuePair.post(tooLong))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("1025 bytes")
                .hasMessageContaining("at most 1024");
        assertThat(near.transmit()).isFalse();
    }

    @Test
    void onlySendsArePossible() {
        SendRequest write = near.sendTo(far, 8).write(0x1000, 5);

        assertThatThrownBy(() -> near.queuePair.post(write))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("RDMA_WRITE is not possible");
    }

    @Test
    void aSendNeedsAnOpenHandleOfItsDomain() {
        SendRequest without = new SendRequest().send().noPayload();
        SendRequest foreign = new SendRequest().to(near.handleTo(far, UdEnd.DOMAIN + 1), 0x22, 1);
        UdAddressHandle closed = near.handleTo(far);
        closed.close();

        for (SendRequest request :
                new SendRequest[] {without, foreign, new SendRequest().to(closed, 0x22, 1)}) {
            assertThatThrownBy(() -> near.queuePair.post(request))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("address handle");
        }
        assertThatThrownBy(() ->
                        near.queuePair.post(new SendRequest().to(near.handleTo(far), 1 << 24, 1)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("destination");
    }

    @Test
    void sendsNeedAQueuePairThatIsReady() {
        near.modify(QueuePairState.RESET);
        assertThatThrownBy(() -> near.postReceive(1, 0, 100))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("RESET");
        near.modify(QueuePairChange.to(QueuePairState.INIT).queueKey(1));
        near.postReceive(1, 0, 100);
        near.modify(QueuePairState.READY_TO_RECEIVE);

        assertThatThrownBy(() -> near.queuePair.post(near.sendTo(far, 8)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("READY_TO_RECEIVE");
    }

    @Test
    void unregisteredMemoryFailsTheSendQueueInOrderAndReceivingGoesOn() {
        RegisteredRegion gone = near.register(Arena.ofAuto().allocate(64));
        near.post(near.sendTo(far, 8).id(1));
        near.post(near.sendTo(far, 8).id(2).payload(gone, 0, 64));
        near.post(near.sendTo(far, 8).id(3));
        gone.close();
        near.exchange(far);

        assertThat(near.takeSent().status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(near.takeSent().status()).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
        Completion flushed = near.takeSent();
        assertThat(flushed.id()).isEqualTo(3);
        assertThat(flushed.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(near.queuePair.state()).isEqualTo(QueuePairState.SEND_QUEUE_ERROR);

        near.post(near.sendTo(far, 8).id(4));
        near.exchange(far);
        assertThat(near.takeSent().status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        near.postReceive(9, 0, 1024);
        far.post(far.sendTo(near, 8));
        far.exchange(near);
        assertThat(near.takeReceived().id()).isEqualTo(9);

        near.modify(QueuePairState.READY_TO_SEND);
        near.post(near.sendTo(far, 8).id(5));
        near.exchange(far);
        assertThat(near.takeSent().status()).isEqualTo(CompletionStatus.SUCCESS);
    }

    @Test
    void aPacketTooLongForThePathFailsTheSendThatTookIt() {
        SendRequest other = near.sendTo(near, 8).id(1);
        SendRequest long1 = near.sendTo(far, 1000).id(2);
        near.post(other);
        near.post(long1);
        near.post(near.sendTo(far, 8).id(3));
        near.transmit();
        near.queuePair.tooLong(near.sink.path(1));

        assertThat(near.takeSent().status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(near.takeSent().status()).isEqualTo(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
        assertThat(near.takeSent().status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(near.queuePair.state()).isEqualTo(QueuePairState.SEND_QUEUE_ERROR);
    }

    @Test
    void drainingHoldsWhatWasNotStarted() {
        near.post(near.sendTo(far, 8).id(1));
        near.transmit();
        near.modify(QueuePairState.SEND_QUEUE_DRAIN);
        near.post(near.sendTo(far, 8).id(2));
        assertThat(near.events).isEmpty();
        near.transmit();

        assertThat(near.events).containsExactly(AsyncEvent.Type.SQ_DRAINED);
        assertThat(near.takeSent().id()).isEqualTo(1);
        assertThat(near.sink.count()).isEqualTo(1);
        near.modify(QueuePairState.READY_TO_SEND);
        near.exchange(far);
        assertThat(near.takeSent().id()).isEqualTo(2);
    }

    @Test
    void failingFlushesBothQueuesAndResettingIsSilent() {
        near.post(near.sendTo(far, 8).id(1));
        near.postReceive(2, 0, 100);
        near.queuePair.fail();

        assertThat(near.takeSent().status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(near.takeReceived().status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);

        far.post(far.sendTo(near, 8));
        far.postReceive(3, 0, 100);
        far.modify(QueuePairState.RESET);
        assertThat(far.transmit()).isFalse();
        assertThat(far.sink.count()).isZero();
        assertThat(far.sendCompletions.poll(new Completion())).isFalse();
        assertThat(far.receiveCompletions.poll(new Completion())).isFalse();
    }

    @Test
    void aCompletionQueueThatRunsFullFailsTheQueuePair() {
        for (int i = 0; i < 2 * UdEnd.DEPTH + 1; i++) {
            near.post(near.sendTo(far, 8));
            near.exchange(far);
        }
        assertThat(near.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(near.queuePair.counters().get(UdCounter.COMPLETION_QUEUE_OVERRUNS)).isOne();
        assertThat(near.events).containsExactly(AsyncEvent.Type.QP_FATAL);
    }
}
