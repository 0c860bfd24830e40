package dev.outboard.fabric.roce.io;

import static dev.outboard.fabric.roce.io.Traffic.payload;
import static dev.outboard.fabric.roce.io.Traffic.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.io.Traffic.Arrival;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.IcrcVerifier.Policy;
import dev.outboard.fabric.roce.wire.PacketFlaw;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransmitterTest {
    private final UdpSocket near = Loopback.bind();
    private final UdpSocket far = Loopback.bind();
    private final Path path = Loopback.path(near, far);
    private final Traffic.Listener listener = new Traffic.Listener();
    private final Transmitter transmitter = Transmitter.open(near, listener);
    private final Receiver receiver = new Receiver(far, Policy.SOLVE);

    @AfterEach
    void close() {
        near.close();
        far.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 255, 256, 257, 1023, 4095, 4096})
    void sendsPayloadsOfAnyLengthIntact(int length) {
        Payload payload = payload(length);

        send(transmitter, path, 7, payload);
        transmitter.flush(0);

        Arrival arrival = receiveOne();
        assertThat(arrival.psn()).isEqualTo(7);
        assertThat(arrival.payload()).isEqualTo(Traffic.bytes(payload, 0, length));
        assertThat(receiver.verifier().strictOk()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 300})
    void gathersThePiecesOfAPayload(int pieceLength) {
        Payload first = payload(pieceLength + 5);
        Payload second = payload(2 * pieceLength);
        Traffic.begin(transmitter, 1, 2 * pieceLength + 1);

        transmitter.append(first, 5, pieceLength);
        transmitter.append(second, 3, 1);
        transmitter.append(second, pieceLength, pieceLength);
        transmitter.finish(path, Bth.LENGTH);
        transmitter.flush(0);

        byte[] expected = new byte[2 * pieceLength + 1];
        System.arraycopy(Traffic.bytes(first, 5, pieceLength), 0, expected, 0, pieceLength);
        expected[pieceLength] = Traffic.bytes(second, 3, 1)[0];
        System.arraycopy(
                Traffic.bytes(second, pieceLength, pieceLength),
                0,
                expected,
                pieceLength + 1,
                pieceLength);
        assertThat(receiveOne().payload()).isEqualTo(expected);
    }

    @Test
    @Requirement("ROCE-ICRC-4")
    void numbersThePacketsOfARunAndChecksThemOffAtTheReceiver() {
        sendRun(15, payload(4096));

        assertThat(psns(15)).isEqualTo(upTo(15));
        assertThat(transmitter.isSegmenting()).isTrue();
        assertThat(transmitter.counters().get(TransmitCounter.CALLS)).isEqualTo(1);
        // Index 0 passes as it is; the receiver finds all others by solving for the index.
        assertThat(receiver.verifier().strictOk()).isEqualTo(1);
        assertThat(receiver.verifier().solved()).isEqualTo(14);
    }

    @Test
    void aShorterPacketClosesTheRun() {
        send(transmitter, path, 0, payload(100));
        send(transmitter, path, 1, payload(20));
        send(transmitter, path, 2, payload(20));
        send(transmitter, path, 3, payload(100));
        transmitter.flush(0);

        assertThat(psns(4)).containsExactly(0, 1, 2, 3);
        assertThat(transmitter.counters().get(TransmitCounter.CALLS)).isEqualTo(3);
    }

    @Test
    void anotherPathStartsAnotherRun() {
        try (UdpSocket third = Loopback.bind()) {
            Path other = Loopback.path(near, third);
            send(transmitter, path, 0, payload(100));
            send(transmitter, other, 1, payload(100));
            send(transmitter, path, 2, payload(100));
            transmitter.flush(0);

            assertThat(psns(2)).containsExactly(0, 2);
            assertThat(Traffic.receive(third, new Receiver(third, Policy.STRICT), 1)).hasSize(1);
            assertThat(transmitter.counters().get(TransmitCounter.CALLS)).isEqualTo(3);
        }
    }

    @Test
    void aRunHoldsAtMost64PacketsAnd65507Bytes() {
        sendRun(65, payload(64));
        assertThat(psns(65)).isEqualTo(upTo(65));
        assertThat(transmitter.counters().get(TransmitCounter.CALLS)).isEqualTo(2);

        sendRun(16, payload(4096));
        assertThat(psns(16)).isEqualTo(upTo(16));
        assertThat(transmitter.counters().get(TransmitCounter.CALLS)).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 252, 256, 1000})
    void ringAndRunLimitsLoseNothing(int length) {
        Payload payload = payload(length);
        int count = 0;
        while (transmitter.hasRoom()) {
            send(transmitter, path, count++, payload);
        }
        transmitter.flush(0);

        assertThat(count).isEqualTo(Transmitter.PACKETS_PER_FLUSH);
        assertThat(psns(count)).isEqualTo(upTo(count));
        assertThat(transmitter.hasRoom()).isTrue();
        assertThat(transmitter.counters().get(TransmitCounter.PACKETS)).isEqualTo(count);
        assertThat(transmitter.counters().get(TransmitCounter.BYTES))
                .isEqualTo((long) count * (Bth.LENGTH + length + Bth.padCount(length) + 4));
    }

    @Test
    @Requirement({"ROCE-SOCK-7a", "ROCE-SOCK-7b"})
    void withoutUdpChecksumsTheKernelRefusesSegmentationAndPacketsGoOneByOne() {
        assertThat(near.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_NO_CHECK, 1)).isZero();

        sendRun(3, payload(1000));
        assertThat(psns(3)).containsExactly(0, 1, 2);
        assertThat(transmitter.isSegmenting()).isFalse();
        assertThat(transmitter.lastRefusal()).isEqualTo("EINVAL");
        // On their own they leave with identification 0, and their checksums say so.
        assertThat(receiver.verifier().strictOk()).isEqualTo(3);

        sendRun(2, payload(100));
        assertThat(psns(2)).containsExactly(0, 1);
        assertThat(receiver.verifier().strictOk()).isEqualTo(5);
        assertThat(transmitter.counters().get(TransmitCounter.CALLS)).isEqualTo(5);
        assertThat(transmitter.counters().get(TransmitCounter.REFUSED)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 4093})
    @Requirement("ROCE-SOCK-7b")
    void aRefusedRunIsTakenApartWithoutChangingAByteOfPayload(int length) {
        near.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_NO_CHECK, 1);
        Payload payload = payload(15 * length);
        for (int i = 0; i < 14; i++) {
            send(transmitter, path, i, payload, (long) i * length, length);
        }
        send(transmitter, path, 14, payload, 14L * length, length / 2);
        transmitter.flush(0);

        List<Arrival> arrivals = Traffic.receive(far, receiver, 15);
        for (int i = 0; i < 15; i++) {
            int expected = i < 14 ? length : length / 2;
            assertThat(arrivals.get(i).payload())
                    .isEqualTo(Traffic.bytes(payload, (long) i * length, expected));
        }
        assertThat(receiver.verifier().strictOk()).isEqualTo(15);
    }

    @Test
    @Requirement("ROCE-SOCK-7c")
    void segmentationCanBeSwitchedOffForASocketAndForAPath() {
        listener.segmenting = false;
        sendRun(3, payload(100));
        assertThat(psns(3)).hasSize(3);
        assertThat(transmitter.counters().get(TransmitCounter.CALLS)).isEqualTo(3);

        listener.segmenting = true;
        transmitter.disableSegmentation();
        sendRun(3, payload(100));
        assertThat(psns(3)).hasSize(3);
        assertThat(transmitter.counters().get(TransmitCounter.CALLS)).isEqualTo(6);
        assertThat(receiver.verifier().strictOk()).isEqualTo(6);
    }

    @Test
    @Requirement("ROCE-SOCK-8b")
    void aPacketThatIsTooLongIsReportedAndNeverSent() {
        send(transmitter, path, 0, payload(65_507));
        send(transmitter, path, 1, payload(100));
        transmitter.flush(0);

        assertThat(listener.tooLong).containsExactly(path);
        assertThat(transmitter.lastRefusal()).isEqualTo("EMSGSIZE");
        assertThat(transmitter.counters().get(TransmitCounter.REFUSED)).isEqualTo(1);
        assertThat(psns(1)).containsExactly(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 1000})
    void aPayloadWhoseArenaIsClosedCostsItsPacketOnly(int length) {
        Arena arena = Arena.ofShared();
        Payload gone = Payload.of(arena.allocate(length));
        arena.close();

        send(transmitter, path, 0, payload(length));
        send(transmitter, path, 1, gone);
        send(transmitter, path, 2, payload(length));
        transmitter.flush(0);

        assertThat(psns(2)).containsExactly(0, 2);
        assertThat(listener.unreadable).containsExactly(path);
        assertThat(transmitter.counters().get(TransmitCounter.UNREADABLE)).isEqualTo(1);
        assertThat(transmitter.counters().get(TransmitCounter.PACKETS)).isEqualTo(2);
        assertThat(transmitter.counters().get(TransmitCounter.REFUSED)).isZero();
    }

    @Test
    void aRunEndsBeforeItHasMorePiecesThanTheKernelTakes() {
        Payload payload = payload(1000);
        for (int i = 0; i < 15; i++) {
            sendScattered(i, payload, Transmitter.MAX_PIECES, 5);
        }
        // One span for the headers of the first packet, 64 and one between two for each: 976. So
        // this one, which needs 51, has no room in the 1024.
        sendScattered(15, payload, 50, 6);
        transmitter.flush(0);

        assertThat(psns(16)).isEqualTo(upTo(16));
        assertThat(transmitter.counters().get(TransmitCounter.CALLS)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 301})
    void padsWithZerosWhateverLayThereBefore(int length) {
        List<Editing> stages = new ArrayList<>();
        receiver.tap(next -> watching(stages, next));
        Payload payload = payload(length);
        send(transmitter, path, 0, payload(Transmitter.COPY_LIMIT));
        transmitter.flush(0);
        send(transmitter, path, 1, payload);
        transmitter.flush(0);

        assertThat(psns(2)).containsExactly(0, 1);
        byte[] frame = stages.getFirst().frames.getLast();
        int end = Bth.LENGTH + length;
        assertThat(Arrays.copyOfRange(frame, end, end + 3)).containsOnly(0);
    }

    @ParameterizedTest
    @CsvSource({"256, true", "257, false"})
    void copiesAPayloadUpToTheLimitWhenItsPacketIsFinished(int length, boolean copied) {
        Payload payload = payload(length);
        byte[] before = Traffic.bytes(payload, 0, length);
        send(transmitter, path, 0, payload);
        payload.segment().fill((byte) 0x55);
        send(transmitter, path, 1, payload(8));
        transmitter.flush(0);

        // Both lie there as one message. What was not copied does not match its ICRC any more.
        List<Arrival> arrivals = Traffic.receive(far, receiver, 1);
        assertThat(arrivals).hasSize(copied ? 2 : 1);
        assertThat(arrivals.getLast().psn()).isEqualTo(1);
        assertThat(Arrays.equals(arrivals.getFirst().payload(), before)).isEqualTo(copied);
        assertThat(receiver.flaws().get(PacketFlaw.BAD_ICRC)).isEqualTo(copied ? 0 : 1);
    }

    /// The kernel takes no message apart for a socket without UDP checksums, and this one is told
    /// to take all of them apart.
    @Test
    void aRefusalOfASinglePacketSaysNothingOfRuns() {
        near.option(UdpSocket.SOL_UDP, UdpSocket.UDP_SEGMENT, 8);
        near.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_NO_CHECK, 1);
        send(transmitter, path, 0, payload(8));
        transmitter.flush(0);

        assertThat(transmitter.lastRefusal()).isEqualTo("EINVAL");
        assertThat(transmitter.counters().get(TransmitCounter.REFUSED)).isEqualTo(1);
        assertThat(transmitter.isSegmenting()).isTrue();
    }

    @Test
    void anEmptyDatagramIsSentAndCounted() {
        transmitter.tap(next -> new Editing((index, frame) -> 0, next));
        send(transmitter, path, 0, payload(8));
        transmitter.flush(0);

        assertThat(transmitter.counters().get(TransmitCounter.PACKETS)).isEqualTo(1);
        assertThat(transmitter.counters().get(TransmitCounter.REFUSED)).isZero();
        assertThat(transmitter.counters().get(TransmitCounter.BYTES)).isZero();
    }

    @Test
    void aPayloadWhoseArenaIsClosedDoesNotReachATap() {
        List<Editing> stages = new ArrayList<>();
        transmitter.tap(next -> watching(stages, next));
        Arena arena = Arena.ofShared();
        Payload gone = Payload.of(arena.allocate(8));
        arena.close();
        send(transmitter, path, 0, gone);
        send(transmitter, path, 1, payload(8));
        transmitter.flush(0);

        assertThat(psns(1)).containsExactly(1);
        assertThat(stages.getFirst().frames).hasSize(1);
        assertThat(listener.unreadable).containsExactly(path);
        assertThat(transmitter.counters().get(TransmitCounter.UNREADABLE)).isEqualTo(1);
    }

    @Test
    void tellsWhenATapWantsItsNextTurn() {
        Faults late = Faults.parse("delay=2ms");
        transmitter.tap(next -> new FaultInjector(late, new SplittableRandom(1), next));
        assertThat(transmitter.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
        send(transmitter, path, 0, payload(8));
        transmitter.flush(100);
        assertThat(transmitter.deadlineNanos()).isEqualTo(2_000_100);

        transmitter.flush(2_000_100);
        assertThat(transmitter.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(psns(1)).containsExactly(0);
    }

    @Test
    void anOffsetOutsideThePayloadIsAnErrorAndHarmsNoOtherPacket() {
        Payload payload = payload(1000);
        assertThatThrownBy(() -> send(transmitter, path, 0, payload, 900, 101))
                .isInstanceOf(IndexOutOfBoundsException.class);

        send(transmitter, path, 1, payload);
        transmitter.flush(0);
        assertThat(receiveOne().payload()).hasSize(1000);
    }

    @Test
    void whatTheKernelRefusesIsDroppedAndCounted() {
        // Reserved for documentation, no route or refused: what matters is that nothing throws.
        Path nowhere =
                new Path(
                        path.source(),
                        Gid.of(Loopback.address(240, 0, 0, 1)),
                        path.sourcePort(),
                        0);
        send(transmitter, nowhere, 0, payload(100));
        send(transmitter, path, 1, payload(100));
        transmitter.flush(0);

        assertThat(psns(1)).containsExactly(1);
        assertThat(transmitter.counters().get(TransmitCounter.REFUSED)).isEqualTo(1);
        assertThat(transmitter.lastRefusal()).isNotEqualTo("none");
    }

    @Test
    @Requirement("ROCE-PKT-1")
    void sendsFromItsOwnPortToPort4791() {
        try (UdpSocket other = UdpSocket.bind(Loopback.address(), 0)) {
            Transmitter elsewhere = Transmitter.open(other, listener);
            send(elsewhere, Loopback.path(other, far), 3, payload(8));
            elsewhere.flush(0);

            // It arrives at 4791, the port of `far`, whatever port it comes from.
            Arrival arrival = receiveOne();
            assertThat(far.localPort()).isEqualTo(4791);
            assertThat(arrival.sourcePort()).isEqualTo(other.localPort()).isNotEqualTo(4791);
        }
    }

    @Test
    @Requirement("ROCE-PKT-1")
    void ipv6HasNoIdentificationAndNothingToSolve() {
        try (UdpSocket ipv6 = Loopback.bindIpv6(Path.DESTINATION_PORT)) {
            Path toItself =
                    new Path(
                            Gid.of(ipv6.localAddress()),
                            Gid.of(ipv6.localAddress()),
                            ipv6.localPort(),
                            0x6A);
            Transmitter over = Transmitter.open(ipv6, listener);
            Receiver back = new Receiver(ipv6, Policy.SOLVE);
            for (int i = 0; i < 3; i++) {
                send(over, toItself, i, payload(1000));
            }
            over.flush(0);

            List<Arrival> arrivals = Traffic.receive(ipv6, back, 3);
            assertThat(arrivals).extracting(Arrival::psn).containsExactly(0, 1, 2);
            assertThat(arrivals).extracting(Arrival::trafficClass).containsOnly(0x6A);
            assertThat(over.counters().get(TransmitCounter.CALLS)).isEqualTo(1);
            assertThat(back.verifier().strictOk()).isEqualTo(3);
        }
    }

    @Test
    void carriesTheTrafficClassOfThePath() {
        Path marked = new Path(path.source(), path.destination(), path.sourcePort(), 0x6A);
        send(transmitter, marked, 0, payload(8));
        send(transmitter, marked, 1, payload(8));
        send(transmitter, path, 2, payload(8));
        transmitter.flush(0);

        assertThat(Traffic.receive(far, receiver, 3))
                .extracting(Arrival::trafficClass)
                .containsExactly(0x6A, 0x6A, 0);
    }

    @Test
    void aTapSeesEveryPacketWholeAndNumberedZero() {
        List<Editing> stages = new ArrayList<>();
        transmitter.tap(next -> watching(stages, next));
        sendRun(3, payload(1000));

        assertThat(psns(3)).containsExactly(0, 1, 2);
        assertThat(stages.getFirst().frames).hasSize(3).allMatch(bytes -> bytes.length == 1016);
        assertThat(transmitter.counters().get(TransmitCounter.BYTES)).isEqualTo(3 * 1016);
        assertThat(receiver.verifier().strictOk()).isEqualTo(3);
        assertThat(receiver.flaws().get(PacketFlaw.BAD_ICRC)).isZero();
    }

    private void sendRun(int count, Payload payload) {
        for (int i = 0; i < count; i++) {
            send(transmitter, path, i, payload);
        }
        transmitter.flush(0);
    }

    /// Finishes a packet whose payload is in pieces that do not touch each other.
    private void sendScattered(int psn, Payload payload, int pieceCount, int pieceLength) {
        Traffic.begin(transmitter, psn, pieceCount * pieceLength);
        for (int i = 0; i < pieceCount; i++) {
            transmitter.append(payload, 2L * i * pieceLength, pieceLength);
        }
        transmitter.finish(path, Bth.LENGTH);
    }

    /// A stage that changes nothing; it is put into `stages`.
    private static Editing watching(List<Editing> stages, FrameSink next) {
        Editing stage = new Editing((index, frame) -> (int) frame.byteSize(), next);
        stages.add(stage);
        return stage;
    }

    private Arrival receiveOne() {
        return Traffic.receive(far, receiver, 1).getFirst();
    }

    private List<Integer> psns(int count) {
        return Traffic.receive(far, receiver, count).stream().map(Arrival::psn).toList();
    }

    private static List<Integer> upTo(int count) {
        return IntStream.range(0, count).boxed().toList();
    }
}
