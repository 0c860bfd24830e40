package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Compare-and-swap and fetch-and-add, as the requester and as the responder see them (roce.md
/// 3.13).
class AtomicTest {
    private static final long REMOTE = 0x1008;
    private static final int KEY = 0x5EED;
    private static final long OLD = 0x0102_0304_0506_0708L;
    private static final long NEW = 0x1112_1314_1516_1718L;

    private final QueuePairBench bench = new QueuePairBench().connect();

    @Test
    @Requirement({"ROCE-RC-5", "ROCE-RC-6", "ROCE-RC-25"})
    void carriesTheOperandsOfACompareAndSwap() {
        bench.post(word(new SendRequest().id(1).compareAndSwap(REMOTE, KEY, OLD, NEW)));
        bench.post(bench.write(2, 10));

        List<TestPacket> sent = bench.transmit();

        TestPacket request = sent.getFirst();
        assertThat(request.opcode).isEqualTo(Opcode.CMP_SWAP);
        assertThat(request.psn).isEqualTo(bench.sendPsn(0));
        assertThat(request.ackRequest).isTrue();
        assertThat(request.address).isEqualTo(REMOTE);
        assertThat(request.key).isEqualTo(KEY);
        assertThat(request.compare).isEqualTo(OLD);
        assertThat(request.swapOrAdd).isEqualTo(NEW);
        assertThat(request.payload).isEmpty();
        assertThat(sent.getLast().psn).isEqualTo(bench.sendPsn(1));
    }

    @Test
    @Requirement({"ROCE-RC-6", "ROCE-RC-25"})
    void carriesTheOperandOfAFetchAndAdd() {
        bench.post(word(new SendRequest().id(1).fetchAndAdd(REMOTE, KEY, NEW)));

        TestPacket request = bench.transmitOne();

        assertThat(request.opcode).isEqualTo(Opcode.FETCH_ADD);
        assertThat(request.ackRequest).isTrue();
        assertThat(request.swapOrAdd).isEqualTo(NEW);
        assertThat(request.compare).isZero();
    }

    @Test
    @Requirement({"ROCE-RC-9", "ROCE-RC-25"})
    void storesTheOriginalValueInNativeOrderAndAcknowledgesWhatWentBefore() {
        bench.post(bench.write(1, 10));
        bench.post(word(new SendRequest().id(2).fetchAndAdd(REMOTE, KEY, 1)));
        bench.transmit();

        bench.deliver(result(1, OLD));

        assertThat(bench.sendCompletions()).containsExactly(success(1), success(2));
        assertThat(bench.region.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 13)).isEqualTo(OLD);
        assertThat(bench.bytes(0, 13)).isEqualTo(QueuePairBench.pattern(0, 0, 13));
        assertThat(bench.bytes(21, 50)).isEqualTo(QueuePairBench.pattern(0, 21, 50));
    }

    @Test
    @Requirement("ROCE-RC-14")
    void sendsTheVerySameAgainWhenTheResultIsLost() {
        bench.post(word(new SendRequest().id(1).fetchAndAdd(REMOTE, KEY, 5)));
        bench.post(bench.write(2, 10));
        TestPacket first = bench.transmit().getFirst();

        List<TestPacket> again = bench.answersTo(TestPacket.ack(bench.sendPsn(1)));

        assertThat(bench.sendCompletions()).isEmpty();
        assertThat(again).hasSize(2);
        assertThat(again.getFirst().opcode).isEqualTo(Opcode.FETCH_ADD);
        assertThat(again.getFirst().psn).isEqualTo(first.psn);
        assertThat(again.getFirst().swapOrAdd).isEqualTo(5);
        bench.deliver(result(0, OLD), result(0, NEW), TestPacket.ack(bench.sendPsn(1)));
        assertThat(bench.sendCompletions()).containsExactly(success(1), success(2));
        assertThat(bench.region.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 13)).isEqualTo(OLD);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 7, 9, 16})
    @Requirement("ROCE-RC-25")
    void aSinkThatIsNotEightBytesIsALocalLengthError(int length) {
        bench.post(
                new SendRequest()
                        .id(1)
                        .fetchAndAdd(REMOTE, KEY, 1)
                        .payload(bench.region, 0, length));
        bench.post(bench.write(2, 10));

        assertThat(bench.transmit()).isEmpty();

        assertThat(bench.sendCompletions()).containsExactly("1 LOCAL_LENGTH_ERROR", flushed(2));
    }

    @Test
    @Requirement("ROCE-MR-4")
    void aSinkThatMayNotBeWrittenIsALocalProtectionError() {
        RegisteredRegion readOnly = bench.region(8);
        bench.post(new SendRequest().id(1).fetchAndAdd(REMOTE, KEY, 1).payload(readOnly, 0, 8));

        assertThat(bench.transmit()).isEmpty();

        assertThat(bench.sendCompletions()).containsExactly("1 LOCAL_PROTECTION_ERROR");
    }

    @Test
    void aRequestThatBringsDataCannotBeInline() {
        assertThatThrownBy(() ->
                        bench.queuePair.post(
                                word(new SendRequest().fetchAndAdd(REMOTE, KEY, 1)).inline(true)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("FETCH_AND_ADD");
        assertThatThrownBy(
                        () -> bench.queuePair.post(bench.send(1, 8).read(REMOTE, KEY).inline(true)))
                .isInstanceOf(FabricException.class);
    }

    @Test
    @Requirement("ROCE-RC-22")
    void countsAmongTheReadsOutstanding() {
        var limited = new QueuePairBench().readAtomics(2, 0).connect();
        limited.post(limited.send(1, 8).fetchAndAdd(REMOTE, KEY, 1));
        limited.post(limited.send(2, 8).read(REMOTE, KEY));
        limited.post(limited.send(3, 8).compareAndSwap(REMOTE, KEY, 1, 2));
        assertThat(limited.transmit()).hasSize(2);

        limited.deliver(TestPacket.of(Opcode.ATOMIC_ACK, limited.sendPsn(0)).syndrome(Aeth.ACK));

        assertThat(limited.transmitOne().opcode).isEqualTo(Opcode.CMP_SWAP);
    }

    @Test
    @Requirement({"ROCE-RC-7", "ROCE-RC-25"})
    void addsToTheNativeWordAndAnswersWithWhatItWas() {
        word(64, OLD);

        List<TestPacket> answers = bench.answersTo(add(0, 64, 3), add(1, 64, -1));

        assertThat(word(64)).isEqualTo(OLD + 2);
        assertThat(answers)
                .extracting(answer -> answer.opcode)
                .containsExactly(Opcode.ATOMIC_ACK, Opcode.ATOMIC_ACK);
        assertThat(answers)
                .extracting(answer -> answer.originalValue)
                .containsExactly(OLD, OLD + 3);
        assertThat(answers)
                .extracting(answer -> answer.psn)
                .containsExactly(bench.receivePsn(0), bench.receivePsn(1));
        assertThat(answers).extracting(answer -> answer.msn).containsExactly(1, 2);
        assertThat(answers).extracting(answer -> answer.syndrome).containsOnly(Aeth.ACK);
        assertThat(bench.bytes(56, 8)).isEqualTo(QueuePairBench.pattern(0, 56, 8));
        assertThat(bench.bytes(72, 8)).isEqualTo(QueuePairBench.pattern(0, 72, 8));
    }

    @Test
    @Requirement("ROCE-RC-25")
    void swapsOnlyIfTheWordIsAsExpected() {
        word(64, OLD);

        TestPacket missed = bench.answerTo(swap(0, 64, OLD + 1, NEW));
        assertThat(word(64)).isEqualTo(OLD);
        assertThat(missed.originalValue).isEqualTo(OLD);

        TestPacket hit = bench.answerTo(swap(1, 64, OLD, NEW));
        assertThat(word(64)).isEqualTo(NEW);
        assertThat(hit.originalValue).isEqualTo(OLD);
    }

    @Test
    @Requirement("ROCE-RC-13")
    void answersARepetitionWithTheSavedValueAndChangesTheMemoryOnce() {
        word(64, 100);
        bench.answersTo(add(0, 64, 1), swap(1, 64, 101, 7), add(2, 64, 1));
        assertThat(word(64)).isEqualTo(8);

        List<TestPacket> again =
                bench.answersTo(add(0, 64, 1), swap(1, 64, 101, 7), add(2, 64, 1), add(0, 64, 1));

        assertThat(word(64)).isEqualTo(8);
        assertThat(again)
                .extracting(answer -> answer.originalValue)
                .containsExactly(100L, 101L, 7L);
        assertThat(again).extracting(answer -> answer.msn).containsExactly(1, 2, 3);
        assertThat(bench.counter(QueuePairCounter.DUPLICATES_RECEIVED)).isEqualTo(4);
    }

    @Test
    @Requirement("ROCE-RC-13")
    void dropsARepetitionWhoseResultItHasForgotten() {
        for (int i = 0; i < 5; i++) {
            bench.answersTo(add(i, 64, 1));
        }
        long now = word(64);

        assertThat(bench.answersTo(add(0, 64, 1))).isEmpty();
        assertThat(bench.answersTo(add(1, 64, 1))).hasSize(1);

        assertThat(word(64)).isEqualTo(now);
        assertThat(bench.counter(QueuePairCounter.UNKNOWN_DUPLICATES_DROPPED)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 7})
    @Requirement({"ROCE-RC-19", "ROCE-RC-25"})
    void refusesAWordThatIsNotAligned(int offset) {
        assertRefused(bench, add(0, 64 + offset, 1), Aeth.NAK_INVALID_REQUEST);
    }

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"CMP_SWAP", "FETCH_ADD"})
    @Requirement("ROCE-RC-19")
    void refusesAtomicsThatTheQueuePairDoesNotGrant(Opcode opcode) {
        var strict = new QueuePairBench().grants(Access.REMOTE_WRITE, Access.REMOTE_READ).connect();
        assertRefused(strict, target(strict, opcode, 0), Aeth.NAK_INVALID_REQUEST);

        var withoutResources = new QueuePairBench().readAtomics(4, 0).connect();
        assertRefused(
                withoutResources, target(withoutResources, opcode, 0), Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    @Requirement("ROCE-RC-19")
    void refusesMemoryThatTheKeyDoesNotOpenForAtomics() {
        RegisteredRegion plain =
                bench.region(8, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
        TestPacket request =
                TestPacket.of(Opcode.FETCH_ADD, bench.receivePsn(0))
                        .target(plain.address(), plain.remoteKey(), 0)
                        .operands(0, 1);
        assertRefused(bench, request, Aeth.NAK_REMOTE_ACCESS_ERROR);
        assertThat(plain.segment().get(ValueLayout.JAVA_LONG, 0)).isZero();

        var other = new QueuePairBench().connect();
        TestPacket beyond =
                target(other, Opcode.FETCH_ADD, 0)
                        .target(
                                other.region.address() + QueuePairBench.MEMORY_BYTES,
                                other.region.remoteKey(),
                                0);
        assertRefused(other, beyond, Aeth.NAK_REMOTE_ACCESS_ERROR);
    }

    @Test
    @Requirement("ROCE-RC-7")
    void resultsAndResponsesLeaveInTheOrderOfTheirSequenceNumbers() {
        List<TestPacket> answers =
                bench.answersTo(
                        add(0, 64, 1),
                        target(bench, Opcode.READ_REQUEST, 1)
                                .target(bench.region.address(), bench.region.remoteKey(), 300),
                        add(3, 64, 1),
                        TestPacket.of(Opcode.WRITE_ONLY, bench.receivePsn(4)).ackRequest());

        assertThat(answers)
                .extracting(answer -> answer.psn - bench.receivePsn(0))
                .containsExactly(0, 1, 2, 3, 4);
        assertThat(answers.getLast().opcode).isEqualTo(Opcode.ACKNOWLEDGE);
    }

    /// With 8 bytes at offset 13 of the memory, which is not aligned.
    private SendRequest word(SendRequest request) {
        return request.payload(bench.region, 13, 8);
    }

    private TestPacket result(int index, long original) {
        return TestPacket.of(Opcode.ATOMIC_ACK, bench.sendPsn(index))
                .syndrome(Aeth.ACK)
                .originalValue(original);
    }

    private TestPacket add(int index, long offset, long value) {
        return target(bench, Opcode.FETCH_ADD, index)
                .target(bench.region.address() + offset, bench.region.remoteKey(), 0)
                .operands(0, value);
    }

    private TestPacket swap(int index, long offset, long expected, long value) {
        return target(bench, Opcode.CMP_SWAP, index)
                .target(bench.region.address() + offset, bench.region.remoteKey(), 0)
                .operands(expected, value);
    }

    private static TestPacket target(QueuePairBench bench, Opcode opcode, int index) {
        return TestPacket.of(opcode, bench.receivePsn(index))
                .ackRequest()
                .target(bench.region.address(), bench.region.remoteKey(), 0)
                .operands(0, 1);
    }

    private long word(long offset) {
        return bench.region.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    private void word(long offset, long value) {
        bench.region.segment().set(ValueLayout.JAVA_LONG, offset, value);
    }

    private static void assertRefused(QueuePairBench bench, TestPacket request, int syndrome) {
        TestPacket answer = bench.answerTo(request);
        assertThat(answer.opcode).isEqualTo(Opcode.ACKNOWLEDGE);
        assertThat(answer.syndrome).isEqualTo(syndrome);
        assertThat(answer.psn).isEqualTo(request.psn);
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }
}
