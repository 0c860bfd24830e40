package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathMtuTest {
    @ParameterizedTest
    @CsvSource({"1, 256", "2, 512", "3, 1024", "4, 2048", "5, 4096"})
    void codeStandsForBytes(int code, int bytes) {
        PathMtu mtu = PathMtu.of(code).orElseThrow();

        assertThat(mtu.code()).isEqualTo(code);
        assertThat(mtu.bytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"0", "6", "-1", "15"})
    void knowsNoOtherCode(int code) {
        assertThat(PathMtu.of(code)).isEmpty();
    }

    /// spec/roce.md, 1.1: as Linux proposes.
    @ParameterizedTest
    @CsvSource({
        "1500, MTU_1024",
        "9000, MTU_4096",
        "65536, MTU_4096",
        "4192, MTU_4096",
        "4191, MTU_2048",
        "1280, MTU_1024",
        "1119, MTU_512",
        "352, MTU_256",
        "351, "
    })
    @Requirement("ROCE-PKT-9")
    void leavesRoomForHeadersInTheRoute(int ipMtu, PathMtu largest) {
        assertThat(PathMtu.largestFor(ipMtu)).isEqualTo(Optional.ofNullable(largest));
    }

    @Test
    @Requirement("ROCE-PKT-9")
    void everyPacketFitsTheRoute() {
        // No opcode that carries payload has longer headers.
        int transport = Opcode.WRITE_ONLY_IMM.headerLength() + Icrc.LENGTH;
        int overhead = IpHeaders.IPV6_LENGTH + IpHeaders.UDP_LENGTH + transport;
        for (int ipMtu = 352; ipMtu < 70_000; ipMtu++) {
            int largest = PathMtu.largestFor(ipMtu).orElseThrow().bytes();

            assertThat(largest + overhead).isLessThanOrEqualTo(ipMtu);
        }
    }
}
