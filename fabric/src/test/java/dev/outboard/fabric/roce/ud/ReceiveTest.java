package dev.outboard.fabric.roce.ud;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The receive queue of a datagram queue pair (roce.md 1.5 and 4).
final class ReceiveTest {
    private static final int GRH = RouteHeader.LENGTH;

    private final UdEnd near = new UdEnd("127.0.0.2", 0x11);
    private final UdEnd far = new UdEnd("127.0.0.3", 0x22);

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 5, 1023, UdEnd.MTU})
    @Requirement({"ROCE-UD-1", "ROCE-UD-2"})
    void aDatagramArrivesBehindItsRouteHeaderWithItsSender(int length) {
        byte[] content = UdEnd.pattern(length);
        near.fill(0, content);
        far.postReceive(9, 100, GRH + length);
        near.post(near.sendTo(far, length).sendWithImmediate(0xDEADBEEF));
        assertThat(near.exchange(far)).isNull();

        Completion received = far.takeReceived();
        assertThat(received.status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(received.opcode()).isEqualTo(CompletionOpcode.RECEIVE);
        assertThat(received.id()).isEqualTo(9);
        assertThat(received.byteCount()).isEqualTo(GRH + length);
        assertThat(received.hasRouteHeader()).isTrue();
        assertThat(received.sourceQueuePairNumber()).isEqualTo(0x11);
        assertThat(received.immediate()).isEqualTo(0xDEADBEEF);
        assertThat(far.bytes(100 + GRH, length)).isEqualTo(content);
        assertThat(far.bytes(100 + GRH + length, 8)).containsOnly(0);
    }

    @Test
    @Requirement("ROCE-UD-2")
    void theRouteHeaderOnIpv4IsTheReceivedHeaderAfterTwentyZeros() {
        far.fill(0, UdEnd.pattern(GRH));
        far.postReceive(9, 0, 1000);
        near.post(near.sendTo(far, 5));
        near.transmit();
        Packet packet = near.sent(0);
        packet.identified(0x1234, false);
        assertThat(far.receive(packet)).isNull();

        assertThat(far.bytes(0, 20)).containsOnly(0);
        // Version, traffic class 0x28, 60 bytes, the identification, no DF, 64 hops, UDP, a
        // checksum worked out by hand, 127.0.0.2 to 127.0.0.3.
        assertThat(HexFormat.of().formatHex(far.bytes(20, 20)))
                .isEqualTo("4528003c12340000" + "40116a50" + "7f0000027f000003");
    }

    @Test
    @Requirement("ROCE-UD-2")
    void theRouteHeaderOnIpv6IsTheReceivedHeader() {
        UdEnd one = new UdEnd("fd77::1", 0x11);
        UdEnd two = new UdEnd("fd77::2", 0x22);
        two.postReceive(9, 0, 1000);
        one.post(one.sendTo(two, 5));
        assertThat(one.exchange(two)).isNull();

        // Version, traffic class 0x28, no flow label, 40 bytes of UDP, 64 hops.
        assertThat(HexFormat.of().formatHex(two.bytes(0, GRH)))
                .isEqualTo(
                        "62800000"
                                + "0028"
                                + "11"
                                + "40"
                                + "fd770000000000000000000000000001"
                                + "fd770000000000000000000000000002");
    }

    @Test
    void theRouteHeaderTellsTheWayBack() {
        UdEnd one = new UdEnd("fd77::1", 0x11);
        UdEnd two = new UdEnd("fd77::2", 0x22);
        two.postReceive(9, 64, 1000);
        one.post(one.sendTo(two, 5));
        one.exchange(two);
        far.postReceive(9, 64, 1000);
        near.post(near.sendTo(far, 5));
        near.exchange(far);

        assertThat(RouteHeader.replyVector(two.region.segment(), 64))
                .contains(new AddressVector(one.gid.toInetAddress(), 0x28, 0));
        assertThat(RouteHeader.replyVector(far.region.segment(), 64))
                .contains(new AddressVector(near.gid.toInetAddress(), 0x28, 0));
        assertThat(RouteHeader.replyVector(far.region.segment(), 65)).isEmpty();
        assertThat(RouteHeader.replyVector(MemorySegment.ofArray(new byte[39]), 0)).isEmpty();
        assertThat(RouteHeader.replyVector(MemorySegment.ofArray(new byte[40]), -1)).isEmpty();
    }

    @Test
    @Requirement("ROCE-UD-1")
    void aForeignKeyIsDroppedSilentlyAndCounted() {
        far.postReceive(9, 0, 1000);
        near.post(near.sendTo(far, 5).to(near.handleTo(far), 0x22, UdEnd.QUEUE_KEY + 1));

        assertThat(near.exchange(far)).isEqualTo(Discard.BAD_QUEUE_KEY);
        assertThat(far.receiveCompletions.poll(new Completion())).isFalse();
        assertThat(far.transmit()).as("nothing is answered").isFalse();
        assertThat(far.queuePair.counters().get(UdCounter.BAD_QUEUE_KEY_DROPPED)).isOne();
        near.post(near.sendTo(far, 5));
        assertThat(near.exchange(far)).as("the receive is there still").isNull();
    }

    @Test
    @Requirement("ROCE-UD-3")
    void withoutAReceiveADatagramIsDroppedAndCounted() {
        near.post(near.sendTo(far, 5).id(1));

        assertThat(near.exchange(far)).isEqualTo(Discard.NO_RECEIVE);
        assertThat(far.queuePair.counters().get(UdCounter.NO_RECEIVE_DROPPED)).isOne();
        assertThat(near.takeSent().status()).isEqualTo(CompletionStatus.SUCCESS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 39, GRH + 4})
    void aReceiveTooShortIsALengthErrorAndTheNextOneWorks(int length) {
        far.postReceive(1, 0, length);
        far.postReceive(2, 2000, GRH + 5);
        near.post(near.sendTo(far, 5));
        assertThat(near.exchange(far)).isEqualTo(Discard.RECEIVE_TOO_SMALL);
        near.post(near.sendTo(far, 5));
        assertThat(near.exchange(far)).isNull();

        Completion failed = far.takeReceived();
        assertThat(failed.id()).isEqualTo(1);
        assertThat(failed.status()).isEqualTo(CompletionStatus.LOCAL_LENGTH_ERROR);
        assertThat(far.bytes(0, 100)).as("nothing is stored").containsOnly(0);
        assertThat(far.takeReceived().status()).isEqualTo(CompletionStatus.SUCCESS);
    }

    @Test
    void aReceiveInPiecesIsFilledAcrossThem() {
        byte[] content = UdEnd.pattern(100);
        near.fill(0, content);
        far.queuePair.post(
                new ReceiveRequest()
                        .buffer(far.region, 0, 39)
                        .appendBuffer(far.region, 1000, 11)
                        .appendBuffer(far.region, 2000, 90));
        near.post(near.sendTo(far, 100));
        near.exchange(far);

        assertThat(far.takeReceived().byteCount()).isEqualTo(140);
        assertThat(far.bytes(0, 1)).isEqualTo(new byte[1]);
        assertThat(far.bytes(1001, 10)).isEqualTo(Arrays.copyOfRange(content, 0, 10));
        assertThat(far.bytes(2000, 90)).isEqualTo(Arrays.copyOfRange(content, 10, 100));
    }

    @Test
    void unregisteredReceiveMemoryFailsTheQueuePair() {
        RegisteredRegion gone = far.register(Arena.ofAuto().allocate(100));
        far.queuePair.post(new ReceiveRequest().buffer(gone, 0, 100));
        gone.close();
        near.post(near.sendTo(far, 5));

        assertThat(near.exchange(far)).isEqualTo(Discard.RECEIVE_UNWRITABLE);
        assertThat(far.queuePair.counters().get(UdCounter.UNWRITABLE_DROPPED)).isOne();
        assertThat(far.takeReceived().status()).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertThat(far.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void aQueuePairThatDoesNotReceiveDropsAndCounts() {
        far.modify(QueuePairState.RESET);
        far.modify(QueuePairChange.to(QueuePairState.INIT).queueKey(UdEnd.QUEUE_KEY));
        far.postReceive(1, 0, 100);
        near.post(near.sendTo(far, 5));

        assertThat(near.exchange(far)).isEqualTo(Discard.WRONG_STATE);
        assertThat(far.queuePair.counters().get(UdCounter.WRONG_STATE_DROPPED)).isOne();
        far.modify(QueuePairState.READY_TO_RECEIVE);
        near.post(near.sendTo(far, 5));
        assertThat(near.exchange(far)).isNull();
    }
}
