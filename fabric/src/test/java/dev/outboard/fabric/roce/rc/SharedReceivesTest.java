package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.verbs.ReceiveQueue;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// Two queue pairs that take their receives from one queue (roce.md 3.12), packet by packet.
class SharedReceivesTest {
    private static final int MTU = 256;

    private final QueuePairBench one = new QueuePairBench();
    private final ReceiveQueue shared = new ReceiveQueue(one.regions, 8, 1);
    private final QueuePairBench other = new QueuePairBench().regionsOf(one);

    SharedReceivesTest() {
        one.shared(shared).connect();
        other.shared(shared).connect();
    }

    private void post(long id) {
        assertThat(shared.offer(new ReceiveRequest().id(id).buffer(one.region, 1000 * id, 1000)))
                .isTrue();
    }

    private TestPacket packet(Opcode opcode, int index, int length) {
        return TestPacket.of(opcode, one.receivePsn(index))
                .payload(QueuePairBench.pattern(9, MTU * index, length))
                .ackRequest();
    }

    @Test
    @Requirement("ROCE-SRQ-1")
    void aReceiveBelongsToTheQueuePairWhoseMessageBegan() {
        post(1);
        post(2);
        one.answersTo(packet(Opcode.SEND_FIRST, 0, MTU));
        other.answersTo(packet(Opcode.SEND_ONLY, 0, 10));
        assertThat(other.answerTo(packet(Opcode.SEND_ONLY, 1, 10)).syndrome)
                .as("both are taken")
                .isEqualTo(Aeth.rnrNak(14));
        one.answersTo(packet(Opcode.SEND_LAST, 1, 100));

        assertThat(one.receiveCompletions()).containsExactly(success(1));
        assertThat(other.receiveCompletions()).containsExactly(success(2));
        assertThat(one.bytes(1000, MTU + 100)).isEqualTo(QueuePairBench.pattern(9, 0, MTU + 100));
        assertThat(one.bytes(2000, 10)).isEqualTo(QueuePairBench.pattern(9, 0, 10));
    }

    @Test
    @Requirement({"ROCE-SRQ-1", "ROCE-RC-31"})
    void aFailingQueuePairFlushesTheOneItTookAndNoOther() {
        post(1);
        post(2);
        one.answersTo(packet(Opcode.SEND_FIRST, 0, MTU));

        one.queuePair.modify(QueuePairChange.to(QueuePairState.ERROR));

        assertThat(one.receiveCompletions()).containsExactly(flushed(1));
        assertThat(one.events).containsExactly(AsyncEvent.Type.QP_LAST_WQE_REACHED);
        other.answersTo(packet(Opcode.SEND_ONLY, 0, 10));
        assertThat(other.receiveCompletions()).containsExactly(success(2));
        assertThat(other.events).isEmpty();
    }

    @Test
    @Requirement("ROCE-RC-31")
    void resetDropsTheOneItTookInSilence() {
        post(1);
        post(2);
        one.answersTo(packet(Opcode.SEND_FIRST, 0, MTU));
        one.queuePair.modify(QueuePairChange.to(QueuePairState.RESET));
        assertThat(one.receiveCompletions()).isEmpty();
        assertThat(one.events).isEmpty();
        other.answersTo(packet(Opcode.SEND_ONLY, 0, 10));
        assertThat(other.receiveCompletions()).containsExactly(success(2));
    }

    @Test
    @Requirement("ROCE-SRQ-1")
    void aWriteWithImmediateTakesOneAtItsLastPacket() {
        post(1);
        one.answersTo(
                packet(Opcode.WRITE_FIRST, 0, MTU)
                        .target(one.region.address(), one.region.remoteKey(), MTU + 4));
        other.answersTo(packet(Opcode.SEND_ONLY, 0, 10));
        assertThat(other.receiveCompletions()).containsExactly(success(1));

        TestPacket last = packet(Opcode.WRITE_LAST_IMM, 1, 4).immediate(7);
        assertThat(one.answerTo(last).syndrome).isEqualTo(Aeth.rnrNak(14));
        post(2);
        assertThat(one.answerTo(last).syndrome).isEqualTo(Aeth.ACK);
        assertThat(one.receiveCompletions()).containsExactly(success(2));
    }
}
