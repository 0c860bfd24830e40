package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// READs as the responder sees them (roce.md 3.4, 3.6, 3.7).
class ReadResponderTest {
    private static final int MTU = 256;

    @ParameterizedTest
    @ValueSource(ints = {256, 512, 1024, 2048, 4096})
    @Requirement({"ROCE-RC-1", "ROCE-RC-5"})
    void answersInPacketsThatTakeOneSequenceNumberEach(int mtu) {
        for (int length : new int[] {0, 1, mtu - 1, mtu, mtu + 1, 5 * mtu, 5 * mtu + 1}) {
            var bench = new QueuePairBench().pathMtu(mtu).connect();

            List<TestPacket> answers = bench.answersTo(read(bench, 0, 100, length));

            int count = Math.max(1, (length + mtu - 1) / mtu);
            assertStream(bench, answers, 0, count);
            assertThat(content(answers)).isEqualTo(pattern(0, 100, length));
            for (int i = 0; i < count - 1; i++) {
                assertThat(answers.get(i).payload).hasSize(mtu);
            }
            // What comes next has the sequence number behind the last response.
            TestPacket next = bench.answerTo(write(bench, count).ackRequest());
            assertThat(next.syndrome).isEqualTo(Aeth.ACK);
            assertThat(next.psn).isEqualTo(bench.receivePsn(count));
        }
    }

    @Test
    @Requirement("ROCE-RC-3")
    void aReadOfNothingNeedsNeitherKeyNorAddress() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();

        TestPacket answer =
                bench.answerTo(
                        TestPacket.of(Opcode.READ_REQUEST, bench.receivePsn(0)).target(-1, 0, 0));

        assertThat(answer.opcode).isEqualTo(Opcode.READ_RESP_ONLY);
        assertThat(answer.syndrome).isEqualTo(Aeth.ACK);
        assertThat(answer.payload).isEmpty();
    }

    @Test
    @Requirement("ROCE-RC-7")
    void anAckDoesNotOvertakeTheResponsesBeforeItAndMessagesCountWhenAccepted() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();

        List<TestPacket> answers =
                bench.answersTo(
                        write(bench, 0).ackRequest(),
                        read(bench, 1, 0, 3 * MTU),
                        write(bench, 4).ackRequest(),
                        read(bench, 5, 0, 10),
                        write(bench, 6).ackRequest(),
                        write(bench, 7).ackRequest());

        assertThat(answers)
                .extracting(packet -> packet.opcode)
                .containsExactly(
                        Opcode.READ_RESP_FIRST,
                        Opcode.READ_RESP_MIDDLE,
                        Opcode.READ_RESP_LAST,
                        Opcode.READ_RESP_ONLY,
                        Opcode.ACKNOWLEDGE);
        assertThat(answers)
                .extracting(packet -> packet.psn - bench.receivePsn(0))
                .containsExactly(1, 2, 3, 5, 7);
        assertThat(answers)
                .filteredOn(packet -> packet.opcode.hasAeth())
                .extracting(packet -> packet.msn)
                .containsExactly(2, 2, 4, 6);
    }

    /// 64 KiB, or 60 packets.
    @ParameterizedTest
    @CsvSource({"256,60", "1024,60", "2048,32", "4096,16"})
    void streamsALongReadInSharesOfATurn(int mtu, int share) {
        var bench = new QueuePairBench().pathMtu(mtu).connect();
        RegisteredRegion region = bench.region(1 << 18, Access.REMOTE_READ);
        bench.deliver(readOf(bench, region, 1 << 18));

        for (int left = (1 << 18) / mtu; left > 0; left -= share) {
            assertThat(bench.transmitTurn()).hasSize(Math.min(share, left));
        }
        assertThat(bench.transmitTurn()).isEmpty();
    }

    @Test
    @Requirement("ROCE-RC-12")
    void repeatsAReadWholeOrInPartFromWhatTheMemoryHoldsNow() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        int length = 5 * MTU + 7;
        assertStream(bench, bench.answersTo(read(bench, 0, 0, length)), 0, 6);
        Pattern.fill(bench.region.segment(), 3);

        List<TestPacket> whole = bench.answersTo(read(bench, 0, 0, length));
        assertStream(bench, whole, 0, 6);
        assertThat(content(whole)).isEqualTo(pattern(3, 0, length));

        for (int from = 1; from < 6; from++) {
            List<TestPacket> part =
                    bench.answersTo(read(bench, from, (long) from * MTU, length - from * MTU));
            assertStream(bench, part, from, 6);
            assertThat(content(part)).isEqualTo(pattern(3, from * MTU, length - from * MTU));
        }
        List<TestPacket> middle = bench.answersTo(read(bench, 2, 2 * MTU, MTU + 1));
        assertStream(bench, middle, 2, 4);
        assertThat(content(middle)).isEqualTo(pattern(3, 2 * MTU, MTU + 1));
        assertThat(bench.counter(QueuePairCounter.DUPLICATES_RECEIVED)).isEqualTo(7);
        // It was executed once.
        assertThat(bench.answerTo(write(bench, 6).ackRequest()).msn).isEqualTo(2);
    }

    @Test
    @Requirement("ROCE-RC-12")
    void startsAgainWhenTheRequestComesAgainWhileItIsAnswered() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.deliver(read(bench, 0, 0, 200 * MTU));
        List<TestPacket> begun = bench.transmitTurn();
        assertThat(begun).hasSizeLessThan(200);

        List<TestPacket> rest = bench.answersTo(read(bench, 10, 10 * MTU, 190 * MTU));

        assertStream(bench, rest, 10, 200);
        assertThat(content(rest)).isEqualTo(pattern(0, 10 * MTU, 190 * MTU));
    }

    @Test
    void goesOnWhenTheRequestComesAgainForWhatIsStillToCome() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.deliver(read(bench, 0, 0, 200 * MTU));
        int begun = bench.transmitTurn().size();

        List<TestPacket> rest = bench.answersTo(read(bench, 100, 100 * MTU, 100 * MTU));

        assertThat(rest.getFirst().psn).isEqualTo(bench.receivePsn(begun));
        assertThat(content(rest)).isEqualTo(pattern(0, begun * MTU, (200 - begun) * MTU));
    }

    @Test
    @Requirement("ROCE-RC-12")
    void dropsARepetitionOfWhatItDoesNotKnowAnyMoreOrDiffers() {
        var bench = new QueuePairBench().pathMtu(MTU).readAtomics(0, 2).connect();
        for (int i = 0; i < 3; i++) {
            bench.answersTo(read(bench, 2 * i, 0, 2 * MTU));
        }
        int key = bench.region.remoteKey();
        long address = bench.region.address();

        assertThat(bench.answersTo(read(bench, 0, 0, 2 * MTU))).isEmpty();
        assertThat(bench.answersTo(read(bench, 2, 0, 2 * MTU + 1))).isEmpty();
        assertThat(bench.answersTo(read(bench, 3, 0, MTU))).isEmpty();
        assertThat(bench.answersTo(read(bench, 3, MTU, MTU + 1))).isEmpty();
        assertThat(
                        bench.answersTo(
                                TestPacket.of(Opcode.READ_REQUEST, bench.receivePsn(2))
                                        .target(address, key ^ 1, 2 * MTU)))
                .isEmpty();
        assertThat(bench.counter(QueuePairCounter.UNKNOWN_DUPLICATES_DROPPED)).isEqualTo(5);
        assertStream(bench, bench.answersTo(read(bench, 2, 0, 2 * MTU)), 2, 4);
        assertStream(bench, bench.answersTo(read(bench, 4, 0, 2 * MTU)), 4, 6);
    }

    /// A late copy of a request that the peer is done with must not take the place of a new one.
    @Test
    void aRepetitionDoesNotKeepTheNextReadOut() {
        var bench = new QueuePairBench().pathMtu(MTU).readAtomics(0, 1).connect();
        bench.answersTo(read(bench, 0, 0, 2 * MTU));

        List<TestPacket> answers =
                bench.answersTo(read(bench, 0, 0, 2 * MTU), read(bench, 2, 0, MTU));

        assertStream(bench, answers, 2, 3);
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    @Requirement("ROCE-RC-19")
    void refusesReadsBeyondTheAgreedNumberAfterAnsweringTheOthers() {
        var bench = new QueuePairBench().pathMtu(MTU).readAtomics(0, 2).connect();

        List<TestPacket> answers =
                bench.answersTo(
                        read(bench, 0, 0, 10), read(bench, 1, 0, 10), read(bench, 2, 0, 10));

        assertThat(answers)
                .extracting(packet -> packet.opcode)
                .containsExactly(Opcode.READ_RESP_ONLY, Opcode.READ_RESP_ONLY, Opcode.ACKNOWLEDGE);
        assertThat(answers.getLast().syndrome).isEqualTo(Aeth.NAK_INVALID_REQUEST);
        assertThat(answers.getLast().psn).isEqualTo(bench.receivePsn(2));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void servesAsManyReadsAsAgreedOnceTheQueuePairWasDrained(int newCount) {
        var bench = new QueuePairBench().pathMtu(MTU).readAtomics(0, 3).connect();
        for (int i = 0; i < 10; i++) {
            bench.answersTo(read(bench, i, 0, 10));
        }
        bench.queuePair.modify(QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN));
        bench.queuePair.modify(
                QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN)
                        .maxDestinationReadAtomic(newCount));

        // What was served is known as far as there is room for it.
        assertStream(bench, bench.answersTo(read(bench, 9, 0, 10)), 9, 10);
        assertThat(bench.answersTo(read(bench, 8, 0, 10))).hasSize(newCount > 1 ? 1 : 0);
        assertThat(bench.answersTo(read(bench, 6, 0, 10))).isEmpty();

        for (int i = 0; i < newCount; i++) {
            bench.deliver(read(bench, 10 + i, 0, 10));
        }
        assertThat(bench.transmit())
                .hasSize(newCount)
                .allMatch(answer -> answer.opcode == Opcode.READ_RESP_ONLY);
    }

    @Test
    @Requirement("ROCE-RC-19")
    void refusesEveryReadIfItServesNone() {
        var bench = new QueuePairBench().pathMtu(MTU).readAtomics(4, 0).connect();
        assertRefused(bench, read(bench, 0, 0, 10), Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    @Requirement("ROCE-RC-19")
    void refusesReadsThatTheQueuePairDoesNotGrant() {
        var bench =
                new QueuePairBench()
                        .pathMtu(MTU)
                        .grants(Access.REMOTE_WRITE, Access.REMOTE_ATOMIC)
                        .connect();
        assertRefused(bench, read(bench, 0, 0, 10), Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    @Requirement("ROCE-RC-19")
    void refusesMemoryThatTheKeyDoesNotOpen() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        RegisteredRegion writable = bench.region(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        assertRefused(bench, readOf(bench, writable, 64), Aeth.NAK_REMOTE_ACCESS_ERROR);

        bench = new QueuePairBench().pathMtu(MTU).connect();
        RegisteredRegion small = bench.region(64, Access.REMOTE_READ);
        assertRefused(bench, readOf(bench, small, 65), Aeth.NAK_REMOTE_ACCESS_ERROR);

        bench = new QueuePairBench().pathMtu(MTU).connect();
        RegisteredRegion gone = bench.region(64, Access.REMOTE_READ);
        gone.close();
        assertRefused(bench, readOf(bench, gone, 64), Aeth.NAK_REMOTE_ACCESS_ERROR);
    }

    @Test
    @Requirement({"ROCE-RC-19", "ROCE-RC-26"})
    void refusesMoreThanTheLongestMessage() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        assertRefused(bench, read(bench, 0, 0, (1L << 31) + 1), Aeth.NAK_INVALID_REQUEST);
        // One byte less is only refused because the region is shorter.
        bench = new QueuePairBench().pathMtu(MTU).connect();
        assertRefused(bench, read(bench, 0, 0, 1L << 31), Aeth.NAK_REMOTE_ACCESS_ERROR);
    }

    @Test
    @Requirement("ROCE-RC-21")
    void refusesAReadInsideAMessageAndOneWithPayload() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.deliver(
                TestPacket.of(Opcode.WRITE_FIRST, bench.receivePsn(0))
                        .target(bench.region.address(), bench.region.remoteKey(), 2 * MTU)
                        .payload(new byte[MTU]));
        TestPacket answer = bench.answerTo(read(bench, 1, 0, 10));
        assertThat(answer.syndrome).isEqualTo(Aeth.NAK_INVALID_REQUEST);
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);

        bench = new QueuePairBench().pathMtu(MTU).connect();
        assertRefused(bench, read(bench, 0, 0, 10).payload(new byte[4]), Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    @Requirement("ROCE-RC-19")
    void memoryThatGoesAwayWhileItIsReadEndsTheStreamWithARefusal() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        RegisteredRegion region = bench.region(200 * MTU, Access.REMOTE_READ);
        bench.deliver(readOf(bench, region, 200 * MTU), write(bench, 200).ackRequest());
        int sent = bench.transmitTurn().size();
        region.close();

        TestPacket refusal = bench.transmitOne();

        assertThat(refusal.syndrome).isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);
        assertThat(refusal.psn).isEqualTo(bench.receivePsn(sent));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void isSilentOnceTheQueuePairFailed() {
        var bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.deliver(read(bench, 0, 0, 200 * MTU));
        bench.transmitTurn();

        bench.queuePair.fail();

        assertThat(bench.transmit()).isEmpty();
    }

    private static void assertRefused(QueuePairBench bench, TestPacket request, int syndrome) {
        TestPacket answer = bench.answerTo(request);
        assertThat(answer.opcode).isEqualTo(Opcode.ACKNOWLEDGE);
        assertThat(answer.syndrome).isEqualTo(syndrome);
        assertThat(answer.psn).isEqualTo(request.psn);
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    /// They are the answers `from` to `to`, from FIRST to LAST.
    private static void assertStream(
            QueuePairBench bench, List<TestPacket> answers, int from, int to) {
        var opcodes = new ArrayList<Opcode>();
        for (int i = from; i < to; i++) {
            boolean isLast = i == to - 1;
            opcodes.add(
                    i == from
                            ? isLast ? Opcode.READ_RESP_ONLY : Opcode.READ_RESP_FIRST
                            : isLast ? Opcode.READ_RESP_LAST : Opcode.READ_RESP_MIDDLE);
        }
        assertThat(answers).extracting(packet -> packet.opcode).isEqualTo(opcodes);
        for (int i = from; i < to; i++) {
            TestPacket answer = answers.get(i - from);
            assertThat(answer.psn).isEqualTo(bench.receivePsn(i));
            assertThat(answer.ackRequest).isFalse();
            if (answer.opcode.hasAeth()) {
                assertThat(answer.syndrome).isEqualTo(Aeth.ACK);
            }
        }
    }

    private static byte[] content(List<TestPacket> answers) {
        var bytes = new ByteArrayOutputStream();
        for (TestPacket answer : answers) {
            bytes.writeBytes(answer.payload);
        }
        return bytes.toByteArray();
    }

    private static TestPacket read(QueuePairBench bench, int index, long offset, long length) {
        return TestPacket.of(Opcode.READ_REQUEST, bench.receivePsn(index))
                .ackRequest()
                .target(bench.region.address() + offset, bench.region.remoteKey(), length);
    }

    private static TestPacket readOf(QueuePairBench bench, RegisteredRegion region, long length) {
        return TestPacket.of(Opcode.READ_REQUEST, bench.receivePsn(0))
                .target(region.address(), region.remoteKey(), length);
    }

    /// A WRITE of nothing.
    private static TestPacket write(QueuePairBench bench, int index) {
        return TestPacket.of(Opcode.WRITE_ONLY, bench.receivePsn(index));
    }
}
