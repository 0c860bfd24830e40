package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The table of what a responder refuses (roce.md 3.6), row by row: the answer, the state, the
/// asynchronous event, and how receives complete.
class ResponderErrorTableTest {
    private static final int MTU = 256;

    static Stream<Arguments> fatalRows() {
        return Stream.of(
                row("a MIDDLE outside a message", bench -> packet(bench, Opcode.SEND_MIDDLE, MTU)),
                row("a LAST outside a message", bench -> packet(bench, Opcode.WRITE_LAST, 1)),
                row(
                        "a WRITE without the right of the queue pair",
                        new QueuePairBench().pathMtu(MTU).grants(Access.REMOTE_READ),
                        bench -> packet(bench, Opcode.WRITE_ONLY, 8)),
                row(
                        "a READ without the right of the queue pair",
                        new QueuePairBench().pathMtu(MTU).grants(Access.REMOTE_WRITE),
                        bench -> packet(bench, Opcode.READ_REQUEST, 0)),
                row(
                        "an atomic without the right of the queue pair",
                        new QueuePairBench().pathMtu(MTU).grants(Access.REMOTE_READ),
                        bench -> packet(bench, Opcode.FETCH_ADD, 0)),
                row(
                        "a READ of a peer that may have none outstanding",
                        new QueuePairBench().pathMtu(MTU).readAtomics(4, 0),
                        bench -> packet(bench, Opcode.READ_REQUEST, 0)),
                row(
                        "an atomic of a peer that may have none outstanding",
                        new QueuePairBench().pathMtu(MTU).readAtomics(4, 0),
                        bench -> packet(bench, Opcode.CMP_SWAP, 0)),
                row(
                        "a WRITE with an unknown key",
                        Aeth.NAK_REMOTE_ACCESS_ERROR,
                        bench -> {
                            TestPacket packet = packet(bench, Opcode.WRITE_ONLY, 8);
                            return packet.target(packet.address, packet.key ^ 1, 8);
                        }),
                row(
                        "a READ in another protection domain",
                        Aeth.NAK_REMOTE_ACCESS_ERROR,
                        bench -> {
                            RegisteredRegion foreign = foreignRegion(bench);
                            return packet(bench, Opcode.READ_REQUEST, 0)
                                    .target(foreign.address(), foreign.remoteKey(), 8);
                        }),
                row(
                        "an atomic on memory that does not grant it",
                        Aeth.NAK_REMOTE_ACCESS_ERROR,
                        bench -> {
                            RegisteredRegion plain =
                                    bench.region(8, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
                            return packet(bench, Opcode.FETCH_ADD, 0)
                                    .target(plain.address(), plain.remoteKey(), 0);
                        }),
                row(
                        "a WRITE beyond the region",
                        Aeth.NAK_REMOTE_ACCESS_ERROR,
                        bench -> {
                            TestPacket packet = packet(bench, Opcode.WRITE_ONLY, 8);
                            long end = packet.address + QueuePairBench.MEMORY_BYTES;
                            return packet.target(end - 7, packet.key, 8);
                        }),
                row(
                        "a WRITE with less payload than it announced",
                        bench -> {
                            TestPacket packet = packet(bench, Opcode.WRITE_ONLY, 8);
                            return packet.target(packet.address, packet.key, 9);
                        }),
                row("a FIRST that is not full", bench -> packet(bench, Opcode.SEND_FIRST, MTU - 4)),
                row("an ONLY above the MTU", bench -> packet(bench, Opcode.SEND_ONLY, MTU + 4)),
                row(
                        "a READ of more than 2 GiB",
                        bench -> {
                            TestPacket packet = packet(bench, Opcode.READ_REQUEST, 0);
                            return packet.target(packet.address, packet.key, (1L << 31) + 1);
                        }),
                row(
                        "an atomic that is not aligned",
                        bench -> {
                            TestPacket packet = packet(bench, Opcode.CMP_SWAP, 0);
                            return packet.target(packet.address + 4, packet.key, 0);
                        }),
                row("an operation that we do not know", bench -> packet(bench, Opcode.FLUSH, 0)),
                row(
                        "another operation that we do not know",
                        bench -> packet(bench, Opcode.ATOMIC_WRITE, 8)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fatalRows")
    @Requirement("ROCE-RC-19")
    void refusesForGood(
            String what,
            QueuePairBench unconnected,
            int syndrome,
            Function<QueuePairBench, TestPacket> request) {
        QueuePairBench bench = unconnected.connect();
        bench.postReceive(1, 0, 4 * MTU);
        bench.postReceive(2, 0, 4 * MTU);
        bench.post(bench.write(3, 10));
        bench.transmit();
        byte[] before = bench.bytes(0, QueuePairBench.MEMORY_BYTES);

        TestPacket answer = bench.answerTo(request.apply(bench));

        assertThat(answer.opcode).isEqualTo(Opcode.ACKNOWLEDGE);
        assertThat(answer.syndrome).isEqualTo(syndrome);
        assertThat(answer.psn).isEqualTo(bench.receivePsn(0));
        assertThat(answer.msn).as("not counted").isZero();
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(bench.events)
                .containsExactly(
                        syndrome == Aeth.NAK_REMOTE_ACCESS_ERROR
                                ? AsyncEvent.Type.QP_ACCESS_ERROR
                                : AsyncEvent.Type.QP_REQUEST_ERROR);
        assertThat(bench.receiveCompletions()).containsExactly(flushed(1), flushed(2));
        assertThat(bench.sendCompletions()).containsExactly(flushed(3));
        assertThat(bench.bytes(0, QueuePairBench.MEMORY_BYTES)).isEqualTo(before);
        assertThat(bench.answersTo(packet(bench, Opcode.SEND_ONLY, 0).ackRequest()))
                .as("silence afterwards")
                .isEmpty();
    }

    @Test
    @Requirement("ROCE-RC-19")
    void aSendThatIsLongerThanItsReceiveIsAnInvalidRequest() {
        QueuePairBench bench = new QueuePairBench().pathMtu(MTU).connect();
        bench.postReceive(1, 0, 7);
        bench.postReceive(2, 0, 7);

        TestPacket answer = bench.answerTo(packet(bench, Opcode.SEND_ONLY, 8));

        assertThat(answer.syndrome).isEqualTo(Aeth.NAK_INVALID_REQUEST);
        assertThat(bench.receiveCompletions()).containsExactly("1 LOCAL_LENGTH_ERROR", flushed(2));
        assertThat(bench.events).containsExactly(AsyncEvent.Type.QP_REQUEST_ERROR);
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    @Requirement("ROCE-RC-19")
    void aReceiveThatMayNotBeWrittenIsARemoteOperationalError() {
        QueuePairBench bench = new QueuePairBench().pathMtu(MTU).connect();
        RegisteredRegion readOnly = bench.region(64);
        bench.queuePair.post(new ReceiveRequest().id(1).buffer(readOnly, 0, 64));
        bench.postReceive(2, 0, 7);

        TestPacket answer = bench.answerTo(packet(bench, Opcode.SEND_ONLY, 8));

        assertThat(answer.syndrome).isEqualTo(Aeth.NAK_REMOTE_OPERATIONAL_ERROR);
        assertThat(bench.receiveCompletions())
                .containsExactly("1 LOCAL_PROTECTION_ERROR", flushed(2));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    @Requirement("ROCE-RC-19")
    void aGapAndAMissingReceiveLeaveTheQueuePairAlive() {
        QueuePairBench bench = new QueuePairBench().pathMtu(MTU).connect();

        TestPacket gap = bench.answerTo(TestPacket.of(Opcode.SEND_ONLY, bench.receivePsn(3)));
        TestPacket notReady = bench.answerTo(packet(bench, Opcode.SEND_ONLY, 8));
        bench.postReceive(1, 0, 8);
        bench.deliver(packet(bench, Opcode.SEND_ONLY, 8));

        assertThat(gap.syndrome).isEqualTo(Aeth.NAK_PSN_SEQUENCE_ERROR);
        assertThat(Aeth.isRnrNak(notReady.syndrome)).isTrue();
        assertThat(List.of(gap.psn, notReady.psn)).containsOnly(bench.receivePsn(0));
        assertThat(bench.receiveCompletions()).containsExactly(QueuePairBench.success(1));
        assertThat(bench.events).isEmpty();
    }

    private static Arguments row(String what, Function<QueuePairBench, TestPacket> request) {
        return row(what, Aeth.NAK_INVALID_REQUEST, request);
    }

    private static Arguments row(
            String what, QueuePairBench bench, Function<QueuePairBench, TestPacket> request) {
        return Arguments.of(what, bench, Aeth.NAK_INVALID_REQUEST, request);
    }

    private static Arguments row(
            String what, int syndrome, Function<QueuePairBench, TestPacket> request) {
        return Arguments.of(what, new QueuePairBench().pathMtu(MTU), syndrome, request);
    }

    /// The next request, of `length` bytes of payload at the start of the memory.
    private static TestPacket packet(QueuePairBench bench, Opcode opcode, int length) {
        return TestPacket.of(opcode, bench.receivePsn(0))
                .target(bench.region.address(), bench.region.remoteKey(), Math.max(8, length))
                .payload(new byte[length]);
    }

    private static RegisteredRegion foreignRegion(QueuePairBench bench) {
        return bench.regions.register(
                QueuePairBench.DOMAIN + 1, bench.region.segment(), Set.of(Access.REMOTE_READ));
    }
}
