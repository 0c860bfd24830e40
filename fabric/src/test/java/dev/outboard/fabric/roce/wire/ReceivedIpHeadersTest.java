package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// The IP header of a received packet, put together from what a socket tells, and read back.
class ReceivedIpHeadersTest {
    private static final int AT = 8;
    private static final int LENGTH = 32;

    private final MemorySegment memory = Arena.ofAuto().allocate(AT + 48, 8);
    private final Packet packet = packet();

    private static Packet packet() {
        MemorySegment bytes = Arena.ofAuto().allocate(LENGTH);
        Bth.write(bytes, 0, Opcode.SEND_ONLY, false, 0, 0xFFFF, 0x11, false, 0);
        Packet packet = new Packet();
        assertThat(packet.wrap(bytes, 0, LENGTH)).isNull();
        return packet;
    }

    @Test
    void anIpv4HeaderHasLengthClassIdentificationAndChecksum() {
        Gid source = gid("10.0.0.2");
        packet.from(source.high(), source.low(), 4791, 0x2B);
        IpHeaders.writeReceived(memory, AT, packet, gid("10.0.0.1"));
        assertThat(hex(20)).isEqualTo("452b003c00004000" + "401126840a0000020a000001");
        assertChecksum();

        packet.identified(0xABCD, false);
        IpHeaders.writeReceived(memory, AT, packet, gid("10.0.0.1"));
        assertThat(hex(10)).isEqualTo("452b003cabcd00004011");
        assertChecksum();
        assertThat(IpHeaders.isIpv4(memory, AT)).isTrue();
        assertThat(IpHeaders.isIpv6(memory, AT)).isFalse();
        assertThat(IpHeaders.source(memory, AT)).isEqualTo(source);
        assertThat(IpHeaders.trafficClass(memory, AT)).isEqualTo(0x2B);
    }

    /// The words of a header add up to ones.
    private void assertChecksum() {
        int sum = 0;
        for (int i = 0; i < 20; i += 2) {
            sum += BigEndian.get16(memory, AT + i);
        }
        assertThat((sum & 0xFFFF) + (sum >>> 16)).isEqualTo(0xFFFF);
    }

    @Test
    void anIpv6HeaderHasLengthClassAndAddresses() {
        Gid source = gid("fd77::2");
        packet.from(source.high(), source.low(), 4791, 0xAB);
        IpHeaders.writeReceived(memory, AT, packet, gid("fd77::1"));

        assertThat(hex(40))
                .isEqualTo(
                        "6ab0000000281140"
                                + "fd770000000000000000000000000002"
                                + "fd770000000000000000000000000001");
        assertThat(IpHeaders.isIpv6(memory, AT)).isTrue();
        assertThat(IpHeaders.isIpv4(memory, AT)).isFalse();
        assertThat(IpHeaders.source(memory, AT)).isEqualTo(source);
        assertThat(IpHeaders.trafficClass(memory, AT)).isEqualTo(0xAB);
        assertThat(IpHeaders.flowLabel(memory, AT)).isZero();
        BigEndian.put32(memory, AT, 0x6AB1_2345);
        assertThat(IpHeaders.trafficClass(memory, AT)).isEqualTo(0xAB);
        assertThat(IpHeaders.flowLabel(memory, AT)).isEqualTo(0x12345);
    }

    @Test
    void whatHasAnotherLengthOrChecksumIsNoIpv4Header() {
        packet.from(0, gid("10.0.0.2").low(), 4791, 0);
        for (int i = 0; i < 20; i++) {
            IpHeaders.writeReceived(memory, AT, packet, gid("10.0.0.1"));
            memory.set(
                    ValueLayout.JAVA_BYTE,
                    AT + i,
                    (byte) (memory.get(ValueLayout.JAVA_BYTE, AT + i) + 1));
            assertThat(IpHeaders.isIpv4(memory, AT)).as("byte %d changed", i).isFalse();
        }
        memory.fill((byte) 0);
        BigEndian.put16(memory, AT, 0x4600);
        BigEndian.put16(memory, AT + 10, 0xB9FF);
        assertThat(IpHeaders.isIpv4(memory, AT)).as("with options").isFalse();
    }

    @Test
    void onlyVersionSixIsIpv6() {
        for (int version = 0; version < 16; version++) {
            BigEndian.put32(memory, AT, (version << 28) | 0x0FFF_FFFF);
            assertThat(IpHeaders.isIpv6(memory, AT)).isEqualTo(version == 6);
        }
    }

    private String hex(int bytes) {
        return HexFormat.of().formatHex(memory.asSlice(AT, bytes).toArray(ValueLayout.JAVA_BYTE));
    }

    private static Gid gid(String address) {
        return Gid.of(InetAddress.ofLiteral(address));
    }
}
