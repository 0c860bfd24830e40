package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What completes, when, and who is told (roce.md 3.9, 3.10).
class CompletionTest {
    @Test
    @Requirement("ROCE-RC-23")
    void aWriteWithImmediateTakesOneReceiveAndLeavesItsBufferAlone() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 8_192, 100);
        bench.postReceive(2, 8_192, 100);
        byte[] bytes = QueuePairBench.pattern(5, 0, 512 + 3);
        long address = bench.region.address() + 1_000;
        bench.deliver(
                TestPacket.of(Opcode.WRITE_FIRST, bench.receivePsn(0))
                        .target(address, bench.region.remoteKey(), bytes.length)
                        .payload(QueuePairBench.pattern(5, 0, 256)),
                TestPacket.of(Opcode.WRITE_MIDDLE, bench.receivePsn(1))
                        .payload(QueuePairBench.pattern(5, 256, 256)));
        assertThat(bench.receiveCompletions()).as("before the last packet").isEmpty();

        bench.deliver(
                TestPacket.of(Opcode.WRITE_LAST_IMM, bench.receivePsn(2))
                        .immediate(0x01020304)
                        .payload(QueuePairBench.pattern(5, 512, 3)));

        Completion completion = bench.receiveCompletion();
        assertThat(completion.id()).isEqualTo(1);
        assertThat(completion.opcode().code()).isEqualTo(129);
        assertThat(completion.byteCount()).isEqualTo(515);
        assertThat(completion.hasImmediate()).isTrue();
        assertThat(completion.immediate()).isEqualTo(0x01020304);
        assertThat(completion.queuePairNumber()).isEqualTo(QueuePairBench.QPN);
        assertThat(bench.bytes(1_000, 515)).isEqualTo(bytes);
        assertThat(bench.bytes(8_192, 100)).isEqualTo(QueuePairBench.pattern(0, 8_192, 100));
        bench.queuePair.fail();
        assertThat(bench.receiveCompletions()).containsExactly(flushed(2));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 256})
    @Requirement("ROCE-RC-23")
    void aWriteWithImmediateOfOnePacketReportsItsLength(int length) {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, 0);

        bench.deliver(
                TestPacket.of(Opcode.WRITE_ONLY_IMM, bench.receivePsn(0))
                        .target(bench.region.address(), bench.region.remoteKey(), length)
                        .immediate(0xFFEEDDCC)
                        .payload(new byte[length]));

        Completion completion = bench.receiveCompletion();
        assertThat(completion.opcode()).isEqualTo(CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE);
        assertThat(completion.byteCount()).isEqualTo(length);
        assertThat(completion.immediate()).isEqualTo(0xFFEEDDCC);
    }

    @Test
    void aSendReportsItsLengthAndImmediate() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, 1_000);
        bench.postReceive(2, 0, 1_000);
        bench.deliver(
                TestPacket.of(Opcode.SEND_ONLY_IMM, bench.receivePsn(0))
                        .immediate(7)
                        .payload(new byte[5]),
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(1)).payload(new byte[6]));

        Completion completion = bench.receiveCompletion();
        assertThat(completion.opcode().code()).isEqualTo(128);
        assertThat(completion.byteCount()).isEqualTo(5);
        assertThat(completion.hasImmediate()).isTrue();
        assertThat(completion.immediate()).isEqualTo(7);
        completion = bench.receiveCompletion();
        assertThat(completion.byteCount()).isEqualTo(6);
        assertThat(completion.hasImmediate()).isFalse();
    }

    @Test
    @Requirement("ROCE-RC-27")
    void successOfAnUnsignaledRequestIsSilentAndFreesItsPlace() {
        var bench = new QueuePairBench().queues(2, 2).connect();

        for (int i = 0; i < 100; i++) {
            bench.post(bench.send(i, 0).signaled(false));
            bench.transmit();
            bench.deliver(TestPacket.ack(bench.sendPsn(i)));
        }

        assertThat(bench.sendCompletions()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0x61, 0x62, 0x63})
    @Requirement("ROCE-RC-27")
    void failureOfAnUnsignaledRequestIsReported(int syndrome) {
        var bench = new QueuePairBench().connect();
        bench.post(bench.send(1, 0).signaled(false));
        bench.post(bench.send(2, 0).signaled(false));
        bench.transmit();

        bench.deliver(TestPacket.nak(bench.sendPsn(0), syndrome));

        assertThat(bench.sendCompletions()).hasSize(2).last().isEqualTo(flushed(2));
    }

    @ParameterizedTest
    @EnumSource(
            value = SendRequest.Operation.class,
            names = {"SEND", "SEND_WITH_IMMEDIATE", "RDMA_WRITE", "RDMA_WRITE_WITH_IMMEDIATE"})
    @Requirement("ROCE-RC-28")
    void asksForAnEventInTheLastPacketOfWhatTakesAReceive(SendRequest.Operation operation) {
        var bench = new QueuePairBench().connect();
        SendRequest request = bench.send(1, 600).solicited(true);
        switch (operation) {
            case SEND -> request.send();
            case SEND_WITH_IMMEDIATE -> request.sendWithImmediate(1);
            case RDMA_WRITE -> request.write(0, 1);
            case RDMA_WRITE_WITH_IMMEDIATE -> request.writeWithImmediate(0, 1, 1);
            default -> throw new IllegalArgumentException(operation.toString());
        }
        bench.post(request);

        boolean takesReceive = operation != SendRequest.Operation.RDMA_WRITE;
        assertThat(bench.transmit())
                .extracting(packet -> packet.solicited)
                .containsExactly(false, false, takesReceive);

        bench.post(request.solicited(false));
        assertThat(bench.transmit()).noneMatch(packet -> packet.solicited);
    }

    @Test
    @Requirement("ROCE-RC-28")
    void aQueueArmedForSolicitedOnlyIsQuietUntilOneComes() {
        var bench = new QueuePairBench().connect();
        for (int id = 0; id < 8; id++) {
            bench.postReceive(id, 0, 0);
        }
        bench.receiveCompletions.arm(true);

        bench.deliver(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)).ackRequest());
        assertThat(bench.notifications()).isZero();
        bench.deliver(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(1)).solicited());
        assertThat(bench.notifications()).isEqualTo(1);
        bench.deliver(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(2)).solicited());
        assertThat(bench.notifications()).as("armed once").isEqualTo(1);

        bench.receiveCompletions.arm(false);
        bench.deliver(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(3)));
        assertThat(bench.notifications()).isEqualTo(2);
    }

    @Test
    @Requirement("ROCE-RC-28")
    void anErrorCountsAsSolicited() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, 0);
        bench.receiveCompletions.arm(true);
        bench.sendCompletions.arm(true);
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));
        bench.transmit();
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        assertThat(bench.notifications()).as("a send that succeeds").isZero();

        bench.queuePair.fail();

        assertThat(bench.notifications()).as("one per queue").isEqualTo(2);
    }

    @Test
    @Requirement("ROCE-RC-29")
    void inlineDataMayChangeOnceItIsPosted() {
        var bench = new QueuePairBench().connect();
        byte[] bytes = bench.bytes(0, 100);
        byte[] more = bench.bytes(5_000, 28);
        SendRequest request =
                bench.send(1, 100).appendPayload(bench.region, 5_000, 28).inline(true);
        bench.post(request);
        bench.region.segment().fill((byte) 0xEE);
        bench.region.close();

        TestPacket first = bench.transmitOne();
        TestPacket again = bench.runTimer().getFirst();

        for (TestPacket packet : List.of(first, again)) {
            assertThat(packet.opcode).isEqualTo(Opcode.SEND_ONLY);
            assertThat(packet.payload).startsWith(bytes).endsWith(more).hasSize(128);
        }
    }

    @Test
    void anEmptyMessageMayBeInlineWithoutInlineMemory() {
        var pair = new JoinedPair(256, new QueueSizes(1, 1, 1, 0));
        RegisteredRegion region = pair.region(Arena.ofAuto().allocate(8));
        pair.queuePairs[1].post(new ReceiveRequest());

        pair.queuePairs[0].post(new SendRequest().payload(region, 0, 0).inline(true));
        pair.exchange();

        assertThat(pair.receiveCompletions[1].poll(new Completion())).isTrue();
    }

    @Test
    void eachPlaceInTheQueueHasItsOwnInlineMemory() {
        var bench = new QueuePairBench().queues(8, 8).connect();
        for (int i = 0; i < 8; i++) {
            bench.region.segment().fill((byte) i);
            bench.post(bench.send(i, 128).inline(true));
        }

        List<TestPacket> packets = bench.transmit();

        for (int i = 0; i < 8; i++) {
            assertThat(packets.get(i).payload).containsOnly(i);
        }
    }

    @Test
    void refusesMoreInlineDataThanTheQueuePairHolds() {
        var bench = new QueuePairBench().connect();

        assertThatThrownBy(() -> bench.queuePair.post(bench.send(1, 129).inline(true)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("129")
                .hasMessageContaining("128");
        assertThatThrownBy(() -> bench.queuePair.post(fivePieces(bench)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("5 pieces");
    }

    private static SendRequest fivePieces(QueuePairBench bench) {
        SendRequest request = bench.send(1, 1);
        for (int i = 0; i < 4; i++) {
            request.appendPayload(bench.region, 0, 1);
        }
        return request;
    }

    @Test
    void failingFlushesSendsAndReceivesInOrder() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(11, 0, 1_000);
        bench.postReceive(12, 0, 1_000);
        for (int id = 1; id <= 4; id++) {
            bench.post(bench.send(id, 600).signaled(id % 2 == 0));
        }
        bench.deliver(TestPacket.of(Opcode.SEND_FIRST, bench.receivePsn(0)).payload(new byte[256]));
        bench.transmit();
        bench.deliver(TestPacket.ack(bench.sendPsn(2)));

        bench.queuePair.fail();

        assertThat(bench.sendCompletions()).containsExactly(flushed(2), flushed(3), flushed(4));
        assertThat(bench.receiveCompletions())
                .as("the one filled in part too")
                .containsExactly(flushed(11), flushed(12));
        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.queuePair.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatIsPostedAfterTheFailureIsFlushed() {
        var bench = new QueuePairBench().connect();
        bench.queuePair.fail();

        bench.post(bench.send(1, 0).signaled(false));
        bench.postReceive(11, 0, 10);
        assertThat(bench.transmit()).isEmpty();

        assertThat(bench.sendCompletions()).containsExactly(flushed(1));
        assertThat(bench.receiveCompletions()).containsExactly(flushed(11));
    }

    @Test
    void sendsNeedAConnectionAndReceivesDoNot() {
        var bench = new QueuePairBench().create();

        assertThatThrownBy(() -> bench.queuePair.post(bench.send(1, 0)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("INIT");
        bench.postReceive(1, 0, 10);
        assertThat(bench.transmit()).isEmpty();
    }

    @Test
    void aFullQueueRefusesWithoutChange() {
        var bench = new QueuePairBench().queues(3, 8).connect();
        for (int id = 0; id < 3; id++) {
            bench.post(bench.send(id, 0));
            bench.postReceive(id, 0, 10);
        }

        assertThat(bench.queuePair.post(bench.send(9, 0))).isFalse();
        assertThat(bench.queuePair.post(new ReceiveRequest().id(9))).isFalse();

        bench.transmit();
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        bench.post(bench.send(3, 0));
        assertThat(bench.transmit()).hasSize(1);
    }

    @Test
    void aCompletionThatFindsNoRoomFailsTheQueuePair() {
        var bench = new QueuePairBench().queues(8, 2).connect();
        for (int id = 0; id < 3; id++) {
            bench.post(bench.send(id, 0));
        }
        bench.transmit();

        bench.deliver(TestPacket.ack(bench.sendPsn(2)));

        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(bench.counter(QueuePairCounter.COMPLETION_QUEUE_OVERRUNS)).isOne();
        assertThat(bench.events).containsExactly(AsyncEvent.Type.QP_FATAL);
        assertThat(bench.sendCompletions()).containsExactly(success(0), success(1));
        assertThat(bench.transmit()).isEmpty();
    }

    @Test
    void aFailureThatFindsNoRoomIsCounted() {
        var bench = new QueuePairBench().queues(8, 1).connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));
        bench.transmit();

        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        assertThat(bench.counter(QueuePairCounter.COMPLETION_QUEUE_OVERRUNS)).isZero();
        bench.deliver(TestPacket.nak(bench.sendPsn(1), Aeth.NAK_REMOTE_ACCESS_ERROR));

        assertThat(bench.sendCompletions()).containsExactly(success(1));
        assertThat(bench.counter(QueuePairCounter.COMPLETION_QUEUE_OVERRUNS)).isOne();
    }

    @Test
    void aFailureOfAReceiveThatFindsNoRoomIsCounted() {
        var bench = new QueuePairBench().queues(8, 1).connect();
        bench.postReceive(1, 0, 0);
        bench.postReceive(2, 0, 0);

        bench.deliver(
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(0)),
                TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(1)).payload((byte) 1));

        assertThat(bench.receiveCompletions()).containsExactly(success(1));
        assertThat(bench.counter(QueuePairCounter.COMPLETION_QUEUE_OVERRUNS)).isOne();
    }

    @Test
    void aFlushThatFindsNoRoomIsCounted() {
        var bench = new QueuePairBench().queues(8, 1).connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));

        bench.queuePair.fail();

        assertThat(bench.sendCompletions()).containsExactly(flushed(1));
        assertThat(bench.counter(QueuePairCounter.COMPLETION_QUEUE_OVERRUNS)).isOne();
    }

    /// The peer must not learn of a success that our application will never hear of.
    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"SEND_ONLY", "WRITE_ONLY_IMM"})
    void aMessageWhoseCompletionIsLostIsNotAcknowledged(Opcode opcode) {
        var bench = new QueuePairBench().queues(8, 1).connect();
        bench.postReceive(1, 0, 0);
        bench.postReceive(2, 0, 0);

        List<TestPacket> answers =
                bench.answersTo(
                        TestPacket.of(opcode, bench.receivePsn(0)).ackRequest(),
                        TestPacket.of(opcode, bench.receivePsn(1)).ackRequest());

        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(answers)
                .extracting(answer -> answer.syndrome)
                .containsExactly(Aeth.ACK, Aeth.NAK_REMOTE_OPERATIONAL_ERROR);
        assertThat(answers)
                .extracting(answer -> answer.psn)
                .containsExactly(bench.receivePsn(0), bench.receivePsn(1));
    }
}
