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

    /// spec/roce.md, 1.1: measured on Linux, and read in its source for 4176 and 4192.
    @ParameterizedTest
    @CsvSource({
        "1500, MTU_1024, MTU_1024",
        "9000, MTU_4096, MTU_4096",
        "65536, MTU_4096, MTU_4096",
        "4176, MTU_4096, MTU_2048",
        "4175, MTU_2048, MTU_2048",
        "4192, MTU_4096, MTU_4096",
        "4191, MTU_4096, MTU_2048",
        "1280, MTU_1024, MTU_1024",
        "1119, MTU_1024, MTU_512",
        "1103, MTU_512, MTU_512",
        "352, MTU_256, MTU_256",
        "351, MTU_256, ",
        "335, , "
    })
    @Requirement("ROCE-PKT-9")
    void leavesRoomForHeadersInTheRoute(int ipMtu, PathMtu largest, PathMtu largestForRequest) {
        assertThat(PathMtu.largestFor(ipMtu)).isEqualTo(Optional.ofNullable(largest));
        assertThat(PathMtu.largestForRequest(ipMtu))
                .isEqualTo(Optional.ofNullable(largestForRequest));
    }

    @Test
    @Requirement("ROCE-PKT-9")
    void everyPacketFitsTheRoute() {
        // No opcode that carries payload has longer headers.
        int transport = Opcode.WRITE_ONLY_IMM.headerLength() + Icrc.LENGTH;
        int overIpv4 = IpHeaders.IPV4_LENGTH + IpHeaders.UDP_LENGTH + transport;
        int overIpv6 = IpHeaders.IPV6_LENGTH + IpHeaders.UDP_LENGTH + transport;
        for (int ipMtu = 352; ipMtu < 70_000; ipMtu++) {
            int largest = PathMtu.largestFor(ipMtu).orElseThrow().bytes();
            int proposed = PathMtu.largestForRequest(ipMtu).orElseThrow().bytes();

            assertThat(largest + overIpv4).isLessThanOrEqualTo(ipMtu);
            assertThat(proposed + overIpv6).isLessThanOrEqualTo(ipMtu);
            assertThat(proposed).isLessThanOrEqualTo(largest);
        }
    }
}
