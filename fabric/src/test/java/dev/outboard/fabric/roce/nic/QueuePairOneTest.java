package dev.outboard.fabric.roce.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.rc.QueuePairs;
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Deth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.DisconnectReply;
import dev.outboard.fabric.roce.wire.cm.DisconnectRequest;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which packets to queue pair 1 are taken, and what its own look like (roce.md 4 and 5.1).
@Requirement("ROCE-UD-4")
final class QueuePairOneTest {
    private static final Gid LOCAL = Gid.ofIpv4(0x7F000002);
    private static final Gid PEER = Gid.ofIpv4(0x7F000003);
    private static final int KEY = 0x8001_0000;

    /// A DREQ of an unknown connection: the one request that is answered whatever came before.
    private static final byte[] QUESTION =
            new CmDatagram(7, new DisconnectRequest(0x11, 0x22, 0x33, Octets.EMPTY)).emit();

    private final List<Discard> discards = new ArrayList<>();
    private final GeneralServices services =
            new GeneralServices(
                    CmConfiguration.of(1, LOCAL, PathMtu.MTU_1024),
                    new SplittableRandom(1),
                    new CongestionControl(false, 0),
                    discards::add);
    private final DatagramSink sink = new DatagramSink(4);
    private final DatagramReader atLocal = new DatagramReader(LOCAL, QueuePairs.UDP_PORT);
    private final DatagramReader atPeer = new DatagramReader(PEER, Path.DESTINATION_PORT);

    @Test
    void managementDatagramsAreAnsweredInKind() {
        receive(KEY, QUESTION);

        assertThat(discards).isEmpty();
        assertThat(services.transmit(sink)).isTrue();
        assertThat(sink.count()).isEqualTo(1);
        Packet answer = Objects.requireNonNull(atPeer.read(LOCAL, sink.bytes(0)));
        assertThat(answer.opcode()).isEqualTo(Opcode.UD_SEND_ONLY);
        assertThat(answer.destinationQpn()).isEqualTo(1);
        assertThat(answer.sourceQpn()).isEqualTo(1);
        assertThat(answer.queueKey()).isEqualTo(KEY);
        assertThat(answer.partitionKey()).isEqualTo(0xFFFF);
        byte[] mad =
                answer.segment()
                        .asSlice(answer.payloadOffset(), answer.payloadLength())
                        .toArray(ValueLayout.JAVA_BYTE);
        assertThat(mad).hasSize(256);
        assertThat(CmDatagram.parse(mad).message()).isInstanceOf(DisconnectReply.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 0x1111_1111, 0x8001_0001, 0x0001_0000})
    void anotherKeyIsDropped(int key) {
        receive(key, QUESTION);
        assertDropped(Discard.BAD_QUEUE_KEY);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 24, 252, 255, 257, 260, 512})
    void anotherLengthIsDropped(int length) {
        receive(KEY, Arrays.copyOf(QUESTION, length));
        assertDropped(Discard.BAD_MAD);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x01, 0x03, 0x04, 0x06, 0x08, 0x81})
    void anotherManagementClassIsIgnoredAndCounted(int managementClass) {
        byte[] mad = QUESTION.clone();
        mad[1] = (byte) managementClass;
        receive(KEY, mad);

        assertThat(services.transmit(sink)).isFalse();
        assertThat(services.agent().counters().snapshot())
                .containsEntry("cm.discarded.other-class", 1L);
    }

    private void assertDropped(Discard reason) {
        assertThat(discards).containsExactly(reason);
        assertThat(services.transmit(sink)).isFalse();
    }

    /// A packet of the peer's queue pair 1 with that payload arrives.
    private void receive(int key, byte[] payload) {
        DatagramSink sent = new DatagramSink(1);
        long at = sent.headerOffset();
        Opcode opcode = Opcode.UD_SEND_ONLY;
        int padCount = Bth.padCount(payload.length);
        Bth.write(
                sent.headerMemory(),
                at,
                opcode,
                false,
                padCount,
                Bth.DEFAULT_PARTITION_KEY,
                QueuePairOne.NUMBER,
                false,
                0);
        Deth.write(sent.headerMemory(), at + Bth.LENGTH, key, QueuePairOne.NUMBER);
        if (payload.length > 0) {
            var copy = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, payload);
            sent.append(Payload.of(copy), 0, payload.length);
        }
        sent.finish(new Path(PEER, LOCAL, QueuePairs.UDP_PORT, 0), opcode.headerLength());
        services.receive(Objects.requireNonNull(atLocal.read(PEER, sent.bytes(0))), 0);
    }
}
