package dev.outboard.fabric.sim.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.PacketFlaw;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class DatagramReaderTest {
    private static final Gid SENDER = Gid.ofIpv4(0x0A000001);
    private static final Gid LOCAL = Gid.ofIpv4(0x0A000002);
    private static final Path PATH = new Path(SENDER, LOCAL, Path.DESTINATION_PORT, 0);
    private static final int PAYLOAD_BYTES = 8;

    private final DatagramReader reader = new DatagramReader(LOCAL, Path.DESTINATION_PORT);

    /// A SEND_ONLY as it is on the wire when its IP header has that identification.
    private static byte[] datagram(int identification) {
        int covered = Bth.LENGTH + PAYLOAD_BYTES;
        MemorySegment bytes = Arena.ofAuto().allocate(covered + Icrc.LENGTH);
        Bth.write(bytes, 0, Opcode.SEND_ONLY, false, 0, Bth.DEFAULT_PARTITION_KEY, 1, false, 0);
        Icrc icrc = new Icrc();
        icrc.begin(PATH, identification, covered + Icrc.LENGTH, bytes, 0, Bth.LENGTH);
        icrc.update(Payload.of(bytes), Bth.LENGTH, PAYLOAD_BYTES);
        Icrc.put(bytes, covered, icrc.finish(0));
        return bytes.toArray(ValueLayout.JAVA_BYTE);
    }

    /// Damage that looks like another identification would pass once in 65,536 times.
    @Test
    void noDeviceOfTheNetworkHasAnIdentification() {
        assertThat(reader.read(SENDER, datagram(0))).isNotNull();
        assertThat(reader.read(SENDER, datagram(7))).isNull();
        assertThat(reader.read(SENDER, datagram(7))).isNull();
        assertThat(reader.flaws().get(PacketFlaw.BAD_ICRC)).isEqualTo(2);
    }

    @Test
    void aStrangerMayHaveAnyIdentification() {
        assertThat(reader.read(SENDER, Path.DESTINATION_PORT, 0, datagram(7))).isNotNull();
        assertThat(reader.flaws().get(PacketFlaw.BAD_ICRC)).isZero();
    }
}
