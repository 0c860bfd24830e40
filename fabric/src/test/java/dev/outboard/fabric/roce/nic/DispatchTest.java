package dev.outboard.fabric.roce.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.roce.cm.CaGuid;
import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Deth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.DatagramFlaw;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Where a network card takes the packets that arrive.
class DispatchTest {
    private static final int MANAGEMENT = 1;
    private static final Gid LOCAL = Gid.ofIpv4(0x0A00_0001);
    private static final int ICRC_BYTES = 4;

    private final ScriptedLink link = new ScriptedLink();
    private final NicMachine nic =
            new NicMachine(
                    CmConfiguration.of(
                            CaGuid.random(new SplittableRandom(1), 0), LOCAL, PathMtu.MTU_1024),
                    new SplittableRandom(2),
                    new CongestionControl(false, 1 << 20),
                    link);
    private final List<Integer> turns = new ArrayList<>();
    private final ScriptedQueuePair machine = new ScriptedQueuePair(nic.freeNumber(), turns);
    private final NicQueuePair queuePair = nic.add(machine);

    /// A connected queue pair takes everything but datagrams, a datagram queue pair nothing else,
    /// and a raw one none at all.
    @ParameterizedTest
    @EnumSource(Opcode.class)
    void aQueuePairGetsThePacketsOfItsTransport(Opcode opcode) {
        boolean isDatagram = opcode.transport() == Opcode.Transport.UD;
        for (QueuePairType type : QueuePairType.values()) {
            machine.type = type;
            machine.received = 0;
            nic.discards().clear();
            boolean isIts =
                    switch (type) {
                        case RELIABLE_CONNECTED -> !isDatagram;
                        case UNRELIABLE_DATAGRAM -> isDatagram;
                        case RAW_PACKET -> false;
                    };

            nic.packet(packet(opcode, machine.number, 0, 0), 0);

            assertThat(machine.received).isEqualTo(isIts ? 1 : 0);
            assertThat(nic.discards().get(Discard.WRONG_TRANSPORT)).isEqualTo(isIts ? 0 : 1);
            assertThat(nic.discards().total()).isEqualTo(isIts ? 0 : 1);
        }
    }

    @Test
    void whoseArrivedGetsATurn() {
        nic.packet(packet(Opcode.ACKNOWLEDGE, machine.number, 0, 0), 0);
        nic.turn(0, false, false);

        assertThat(turns).containsExactly(machine.number);
    }

    @Test
    void aPacketForNobodyIsDroppedAndCounted() {
        nic.packet(packet(Opcode.SEND_ONLY, machine.number + 1, 0, 0), 0);
        nic.packet(packet(Opcode.SEND_ONLY, MANAGEMENT, 0, 0), 0);

        assertThat(machine.received).isZero();
        assertThat(nic.discards().get(Discard.UNKNOWN_QPN)).isEqualTo(2);
        assertThat(nic.discards().total()).isEqualTo(2);
    }

    @Test
    void aPacketOfAStrangerIsDroppedAndCounted() {
        machine.acceptsPackets = false;
        nic.packet(packet(Opcode.SEND_ONLY, machine.number, 0, 0), 0);

        assertThat(machine.received).isZero();
        assertThat(nic.discards().get(Discard.WRONG_SOURCE)).isEqualTo(1);
        assertThat(nic.discards().total()).isEqualTo(1);
    }

    @Test
    void countsCongestionNotifications() {
        nic.packet(packet(Opcode.SEND_ONLY, machine.number, 0, 0), 0);
        assertThat(nic.congestionNotifications()).isZero();
        nic.packet(packet(Opcode.CNP, machine.number, 0, 0), 0);

        assertThat(nic.congestionNotifications()).isEqualTo(1);
    }

    @Test
    void theFirstPacketIsToldOnceBeforeItIsReceived() {
        List<Integer> receivedBefore = new ArrayList<>();
        queuePair.onFirstPacket(() -> receivedBefore.add(machine.received));

        nic.packet(packet(Opcode.SEND_ONLY, machine.number, 0, 0), 0);
        nic.packet(packet(Opcode.SEND_ONLY, machine.number, 0, 0), 0);

        assertThat(receivedBefore).containsExactly(0);
        assertThat(machine.received).isEqualTo(2);
    }

    @Test
    void whatWasRemovedGetsNothing() {
        nic.remove(queuePair);
        nic.packet(packet(Opcode.SEND_ONLY, machine.number, 0, 0), 0);

        assertThat(machine.received).isZero();
        assertThat(nic.discards().get(Discard.UNKNOWN_QPN)).isEqualTo(1);
    }

    @Test
    void queuePairOneTakesDatagramsOf256BytesWithTheWellKnownKey() {
        nic.packet(packet(Opcode.UD_SEND_ONLY, MANAGEMENT, 256, 0x1234), 0);
        assertThat(nic.discards().get(Discard.BAD_QUEUE_KEY)).isEqualTo(1);

        nic.packet(packet(Opcode.UD_SEND_ONLY, MANAGEMENT, 252, QueuePairOne.QUEUE_KEY), 0);
        assertThat(nic.discards().get(Discard.BAD_MAD)).isEqualTo(1);
        assertThat(nic.discards().total()).isEqualTo(2);
        assertThat(flaws()).isZero();

        nic.packet(packet(Opcode.UD_SEND_ONLY, MANAGEMENT, 256, QueuePairOne.QUEUE_KEY), 0);
        assertThat(flaws()).as("zeros are no message, but they arrive").isEqualTo(1);
        assertThat(nic.discards().total()).isEqualTo(2);
    }

    /// What the connection manager sends waits for room, then leaves in order.
    @Test
    void managementDatagramsLeaveAsTheSinkHasRoom() {
        GeneralServices services = nic.services();
        assertThat(services.hasOutgoing()).isFalse();
        assertThat(services.transmit(link.sink)).isFalse();
        for (int i = 0; i < 6; i++) {
            services.send(Gid.ofIpv4(0x0A00_0002 + i), new byte[CmDatagram.LENGTH]);
        }
        assertThat(services.hasOutgoing()).isTrue();

        assertThat(services.transmit(link.sink)).isTrue();
        assertThat(link.sink.count()).as("as many as fit").isEqualTo(4);
        assertThat(services.hasOutgoing()).isTrue();
        assertThat(link.sink.path(0).destination()).isEqualTo(Gid.ofIpv4(0x0A00_0002));
        assertThat(link.sink.path(3).destination()).isEqualTo(Gid.ofIpv4(0x0A00_0005));
        link.sink.clear();
        assertThat(nic.turn(0, false, false)).as("the rest is work").isTrue();
        assertThat(services.hasOutgoing()).isFalse();
        assertThat(link.flushedPackets).isEqualTo(2);
        assertThat(nic.turn(0, false, false)).isFalse();
    }

    @Test
    void managementDatagramsCountUpTheirPackets() {
        nic.services().send(Gid.ofIpv4(0x0A00_0002), new byte[CmDatagram.LENGTH]);
        nic.services().send(Gid.ofIpv4(0x0A00_0002), new byte[CmDatagram.LENGTH]);
        nic.services().transmit(link.sink);

        for (int i = 0; i < 2; i++) {
            Packet packet = new Packet();
            MemorySegment bytes = link.sink.memory().segment();
            assertThat(packet.wrap(bytes, link.sink.offset(i), link.sink.length(i))).isNull();
            assertThat(packet.opcode()).isEqualTo(Opcode.UD_SEND_ONLY);
            assertThat(packet.destinationQpn()).isEqualTo(MANAGEMENT);
            assertThat(packet.sourceQpn()).isEqualTo(MANAGEMENT);
            assertThat(packet.queueKey()).isEqualTo(QueuePairOne.QUEUE_KEY);
            assertThat(packet.psn()).isEqualTo(i);
            assertThat(packet.payloadLength()).isEqualTo(CmDatagram.LENGTH);
        }
    }

    @Test
    void nothingIsSentToTheOtherIpVersion() {
        nic.services().send(new Gid(0xFD77L << 48, 1), new byte[CmDatagram.LENGTH]);

        assertThat(nic.services().hasOutgoing()).isFalse();
    }

    private long flaws() {
        return nic.services().agent().counters().discarded(DatagramFlaw.WRONG_VERSION);
    }

    static Packet packet(Opcode opcode, int qpn, int payloadLength, int queueKey) {
        MemorySegment bytes =
                Arena.ofAuto().allocate(opcode.headerLength() + payloadLength + ICRC_BYTES);
        Bth.write(bytes, 0, opcode, false, 0, Bth.DEFAULT_PARTITION_KEY, qpn, false, 0);
        if (opcode.hasDeth()) {
            Deth.write(bytes, Bth.LENGTH, queueKey, 9);
        }
        Packet packet = new Packet();
        assertThat(packet.wrap(bytes, 0, (int) bytes.byteSize())).isNull();
        packet.from(LOCAL.high(), LOCAL.low(), 4791, 0);
        return packet;
    }
}
