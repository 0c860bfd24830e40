package dev.outboard.fabric.roce.cm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.CapturedPacket;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.SidrRequest;
import dev.outboard.testkit.Requirement;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Our connection manager in the place of either side of every captured conversation: it is told
/// what the other side sent, its application does what the captured one must have done, and what it
/// sends is what Linux sent, byte by byte, but for identifiers of its own choice.
class CmReplayTest {
    /// One side of a conversation.
    record Role(String capture, Gid gid) {
        @Override
        public String toString() {
            return capture + " as " + gid;
        }
    }

    static Stream<Role> rolesOfConnections() {
        return CapturedPacket.captures()
                .filter(capture -> !isOfAService(capture))
                .flatMap(CmReplayTest::roles);
    }

    static Stream<Role> rolesOfServices() {
        return CapturedPacket.captures()
                .filter(CmReplayTest::isOfAService)
                .flatMap(CmReplayTest::roles);
    }

    private static boolean isOfAService(String capture) {
        return datagrams(capture).stream()
                .map(datagram -> CmDatagram.parse(CmReplay.mad(datagram)).message())
                .anyMatch(SidrRequest.class::isInstance);
    }

    /// The requests of `host-*` were written by hand; only Linux's answers are of interest.
    private static Stream<Role> roles(String capture) {
        return datagrams(capture).stream()
                .map(datagram -> datagram.path().source())
                .distinct()
                .filter(gid -> !capture.startsWith("host-") || !gid.equals(first(capture)))
                .map(gid -> new Role(capture, gid));
    }

    private static Gid first(String capture) {
        return datagrams(capture).getFirst().path().source();
    }

    private static List<CapturedPacket> datagrams(String capture) {
        return CapturedPacket.of(capture).stream()
                .filter(captured -> (captured.datagram()[0] & 0xFF) == Opcode.UD_SEND_ONLY.code())
                .filter(captured -> captured.packet().destinationQpn() == 1)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("rolesOfConnections")
    @Requirement({"ROCE-CM-1", "ROCE-CM-2", "ROCE-CM-12", "ROCE-CM-13", "ROCE-CM-14"})
    void connectsAndDisconnectsAsLinuxDid(Role role) {
        assertSendsTheSameButForItsOwnIdentifiers(role);
    }

    @ParameterizedTest
    @MethodSource("rolesOfServices")
    @Requirement({"ROCE-CM-1", "ROCE-CM-2", "ROCE-CM-13", "ROCE-CM-17"})
    void findsServicesAsLinuxDid(Role role) {
        assertSendsTheSameButForItsOwnIdentifiers(role);
    }

    private static void assertSendsTheSameButForItsOwnIdentifiers(Role role) {
        List<CapturedPacket> captured = datagrams(role.capture());
        CmReplay replay = new CmReplay(role.gid(), captured);
        for (CapturedPacket datagram : captured) {
            byte[] mad = CmReplay.mad(datagram);
            if (!datagram.path().source().equals(role.gid())) {
                replay.receive(datagram.path().source(), mad);
                continue;
            }
            byte[] ours = replay.answer(datagram.path().destination(), mad);
            assertThat(HexFormat.of().formatHex(ours))
                    .as("%s: frame %d, %s", role, datagram.frame(), CmDatagram.parse(mad))
                    .isEqualTo(HexFormat.of().formatHex(mad));
        }
        assertThat(replay.unexpected()).isEmpty();
    }
}
