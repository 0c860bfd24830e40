package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests that a responder refuses for good (roce.md 3.6).
class ResponderErrorTest {
    private static final int MTU = 256;

    static Stream<List<Opcode>> brokenSequences() {
        var sequences = new ArrayList<List<Opcode>>();
        for (Opcode opcode : continuations()) {
            sequences.add(List.of(opcode));
            sequences.add(List.of(Opcode.SEND_ONLY, opcode));
            sequences.add(List.of(Opcode.WRITE_ONLY, opcode));
            sequences.add(List.of(Opcode.SEND_FIRST, Opcode.SEND_LAST, opcode));
            sequences.add(List.of(Opcode.WRITE_FIRST, Opcode.WRITE_LAST, opcode));
            boolean isSend = opcode.operation() == Opcode.Operation.SEND;
            sequences.add(List.of(isSend ? Opcode.WRITE_FIRST : Opcode.SEND_FIRST, opcode));
        }
        for (Opcode first : List.of(Opcode.SEND_FIRST, Opcode.WRITE_FIRST)) {
            for (Opcode next : beginnings()) {
                sequences.add(List.of(first, next));
            }
        }
        return sequences.stream();
    }

    private static List<Opcode> continuations() {
        return Stream.of(Opcode.values())
                .filter(opcode -> opcode.isMiddle() || opcode.isLast())
                .filter(Opcode::isRequest)
                .toList();
    }

    private static List<Opcode> beginnings() {
        return Stream.of(Opcode.values())
                .filter(opcode -> opcode.isFirst() || opcode.isOnly())
                .filter(Opcode::isRequest)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("brokenSequences")
    @Requirement("ROCE-RC-21")
    void refusesOpcodesOutOfSequence(List<Opcode> opcodes) {
        var bench = connected();
        int last = opcodes.size() - 1;
        for (int i = 0; i < last; i++) {
            bench.deliver(request(bench, opcodes.get(i), i));
        }
        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);

        TestPacket answer = bench.answerTo(request(bench, opcodes.get(last), last));

        assertThat(answer.syndrome).isEqualTo(Aeth.NAK_INVALID_REQUEST);
        assertThat(answer.psn).isEqualTo(bench.receivePsn(last));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    @Requirement("ROCE-RC-21")
    void takesEverySequenceThatIsWhole() {
        var bench = connected();
        List<Opcode> all =
                List.of(
                        Opcode.SEND_FIRST,
                        Opcode.SEND_MIDDLE,
                        Opcode.SEND_LAST,
                        Opcode.WRITE_FIRST,
                        Opcode.WRITE_LAST,
                        Opcode.SEND_ONLY,
                        Opcode.WRITE_ONLY,
                        Opcode.SEND_FIRST,
                        Opcode.SEND_LAST_IMM,
                        Opcode.WRITE_FIRST,
                        Opcode.WRITE_LAST_IMM);
        for (int i = 0; i < all.size(); i++) {
            bench.deliver(request(bench, all.get(i), i));
        }

        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(bench.receiveCompletions())
                .containsExactly(success(0), success(1), success(2), success(3));
    }

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"READ_REQUEST", "CMP_SWAP", "FETCH_ADD", "FLUSH", "ATOMIC_WRITE"})
    void refusesOperationsThatTheQueuePairDoesNotGrant(Opcode opcode) {
        var bench = new QueuePairBench().pathMtu(MTU).grants().connect();

        TestPacket answer =
                bench.answerTo(
                        TestPacket.of(opcode, bench.receivePsn(0))
                                .target(bench.region.address(), bench.region.remoteKey(), 8));

        assertThat(answer.syndrome).isEqualTo(Aeth.NAK_INVALID_REQUEST);
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"SEND_FIRST", "WRITE_FIRST"})
    void refusesAFirstPacketThatIsNotFull(Opcode opcode) {
        for (int length : new int[] {0, MTU - 1, MTU - 4, MTU + 1, MTU + 4}) {
            assertRefused(connected(), opcode, length, 4L * MTU, Aeth.NAK_INVALID_REQUEST);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"SEND_ONLY", "WRITE_ONLY", "SEND_ONLY_IMM", "WRITE_ONLY_IMM"})
    void refusesAnOnlyPacketAboveTheMtu(Opcode opcode) {
        assertRefused(connected(), opcode, MTU + 1, MTU + 1, Aeth.NAK_INVALID_REQUEST);
        assertRefused(connected(), opcode, MTU + 4, MTU + 4, Aeth.NAK_INVALID_REQUEST);
    }

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {
                "SEND_MIDDLE",
                "SEND_LAST",
                "SEND_LAST_IMM",
                "WRITE_MIDDLE",
                "WRITE_LAST",
                "WRITE_LAST_IMM"
            })
    void refusesALaterPacketOfTheWrongLength(Opcode opcode) {
        int[] wrong =
                opcode.isMiddle()
                        ? new int[] {0, MTU - 1, MTU + 4}
                        : new int[] {0, MTU + 1, MTU + 4};
        for (int length : wrong) {
            var bench = connected();
            Opcode first =
                    opcode.operation() == Opcode.Operation.SEND
                            ? Opcode.SEND_FIRST
                            : Opcode.WRITE_FIRST;
            bench.deliver(
                    request(bench, first, 0)
                            .target(bench.region.address(), bench.region.remoteKey(), 4L * MTU));
            TestPacket answer =
                    bench.answerTo(
                            TestPacket.of(opcode, bench.receivePsn(1))
                                    .ackRequest()
                                    .payload(new byte[length]));
            assertThat(answer.syndrome)
                    .as("%s of %d", opcode, length)
                    .isEqualTo(Aeth.NAK_INVALID_REQUEST);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, MTU - 1, MTU + 1, 1L << 31})
    void refusesAnOnlyWriteWhoseLengthDiffersFromItsHeader(long dmaLength) {
        var bench = connected();
        RegisteredRegion large = bench.region;
        TestPacket answer =
                bench.answerTo(
                        TestPacket.of(Opcode.WRITE_ONLY, bench.receivePsn(0))
                                .target(large.address(), large.remoteKey(), dmaLength)
                                .payload(new byte[MTU]));
        assertThat(answer.syndrome)
                .isEqualTo(
                        dmaLength > large.length()
                                ? Aeth.NAK_REMOTE_ACCESS_ERROR
                                : Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    void refusesAWriteThatEndsEarlyOrGoesOnTooLong() {
        for (int length : new int[] {MTU + 1, 2 * MTU - 1}) {
            var bench = connected();
            bench.deliver(
                    request(bench, Opcode.WRITE_FIRST, 0)
                            .target(bench.region.address(), bench.region.remoteKey(), length));
            TestPacket answer =
                    bench.answerTo(
                            TestPacket.of(Opcode.WRITE_LAST, bench.receivePsn(1))
                                    .payload(new byte[2]));
            assertThat(answer.syndrome).isEqualTo(Aeth.NAK_INVALID_REQUEST);
        }
        var bench = connected();
        bench.deliver(
                request(bench, Opcode.WRITE_FIRST, 0)
                        .target(bench.region.address(), bench.region.remoteKey(), 2L * MTU));
        TestPacket answer =
                bench.answerTo(
                        TestPacket.of(Opcode.WRITE_MIDDLE, bench.receivePsn(1))
                                .payload(new byte[MTU]));
        assertThat(answer.syndrome)
                .as("a middle packet in the last place")
                .isEqualTo(Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    void aSendThatDoesNotFitFailsTheReceiveToo() {
        var bench = new QueuePairBench().connect();
        bench.postReceive(1, 0, MTU + 10);
        bench.postReceive(2, 1024, 10);
        bench.deliver(
                TestPacket.of(Opcode.SEND_FIRST, bench.receivePsn(0))
                        .payload(QueuePairBench.pattern(5, 0, MTU)));

        TestPacket answer =
                bench.answerTo(
                        TestPacket.of(Opcode.SEND_LAST, bench.receivePsn(1))
                                .ackRequest()
                                .payload(QueuePairBench.pattern(5, MTU, 11)));

        assertThat(answer.syndrome).isEqualTo(Aeth.NAK_INVALID_REQUEST);
        assertThat(bench.receiveCompletions()).containsExactly("1 LOCAL_LENGTH_ERROR", flushed(2));
        assertThat(bench.bytes(MTU, 100)).isEqualTo(QueuePairBench.pattern(0, MTU, 100));
    }

    @Test
    void aReceiveThatMayNotBeWrittenIsARemoteOperationalError() {
        var bench = new QueuePairBench().connect();
        RegisteredRegion readOnly = bench.region(64);
        bench.queuePair.post(new ReceiveRequest().id(1).buffer(readOnly, 0, 64));

        TestPacket answer =
                bench.answerTo(
                        request(bench, Opcode.SEND_ONLY, 0).ackRequest().payload(new byte[1]));

        assertThat(answer.syndrome).isEqualTo(Aeth.NAK_REMOTE_OPERATIONAL_ERROR);
        assertThat(bench.receiveCompletions()).containsExactly("1 LOCAL_PROTECTION_ERROR");
    }

    @Test
    void aWriteIsRefusedWhenTheRegionGoesAwayInTheMiddle() {
        var bench = connected();
        RegisteredRegion region = bench.region(1024, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        bench.deliver(
                request(bench, Opcode.WRITE_FIRST, 0)
                        .target(region.address(), region.remoteKey(), 2L * MTU));
        region.close();

        TestPacket answer =
                bench.answerTo(
                        TestPacket.of(Opcode.WRITE_LAST, bench.receivePsn(1))
                                .ackRequest()
                                .payload(QueuePairBench.pattern(5, 0, MTU)));

        assertThat(answer.syndrome).isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);
        assertThat(region.segment().asSlice(MTU, MTU).toArray(ValueLayout.JAVA_BYTE))
                .containsOnly(0);
    }

    @Test
    void anErrorAnswerFollowsTheAcksThatAreOwed() {
        var bench = connected();

        List<TestPacket> answers =
                bench.answersTo(
                        request(bench, Opcode.SEND_ONLY, 0).ackRequest(),
                        request(bench, Opcode.SEND_LAST, 1));

        assertThat(answers).extracting(answer -> answer.syndrome).containsExactly(0x1F, 0x61);
        assertThat(answers)
                .extracting(answer -> answer.psn)
                .containsExactly(bench.receivePsn(0), bench.receivePsn(1));
    }

    /// A queue pair is born in INIT: there is no RESET to be in.
    @Test
    @Requirement("ROCE-RC-20")
    void dropsPacketsInSilenceBeforeItIsConnectedAndAfterItFailed() {
        var initial = new QueuePairBench().create();
        initial.postReceive(1, 0, 10);
        assertThat(initial.answersTo(request(initial, Opcode.SEND_ONLY, 0).ackRequest())).isEmpty();
        assertThat(initial.counter(QueuePairCounter.WRONG_STATE_DROPPED)).isEqualTo(1);
        assertThat(initial.receiveCompletions()).isEmpty();

        var failed = connected();
        failed.queuePair.fail();
        assertThat(failed.answersTo(request(failed, Opcode.SEND_ONLY, 0).ackRequest())).isEmpty();
        assertThat(failed.answersTo(TestPacket.ack(failed.sendPsn(0)))).isEmpty();
        assertThat(failed.counter(QueuePairCounter.WRONG_STATE_DROPPED)).isEqualTo(2);
    }

    private static QueuePairBench connected() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        for (int id = 0; id < 8; id++) {
            bench.postReceive(id, 0, 8 * MTU);
        }
        return bench;
    }

    /// A request that is right by itself: a full packet, and as much in its RETH as the sequences
    /// here send.
    private static TestPacket request(QueuePairBench bench, Opcode opcode, int index) {
        boolean isOnly = opcode.isOnly();
        return TestPacket.of(opcode, bench.receivePsn(index))
                .target(bench.region.address(), bench.region.remoteKey(), isOnly ? MTU : 2L * MTU)
                .payload(new byte[MTU]);
    }

    private static void assertRefused(
            QueuePairBench bench, Opcode opcode, int length, long dmaLength, int syndrome) {
        TestPacket answer =
                bench.answerTo(
                        TestPacket.of(opcode, bench.receivePsn(0))
                                .ackRequest()
                                .target(bench.region.address(), bench.region.remoteKey(), dmaLength)
                                .payload(new byte[length]));
        assertThat(answer.syndrome).as("%s of %d", opcode, length).isEqualTo(syndrome);
        assertThat(answer.psn).isEqualTo(bench.receivePsn(0));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }
}
