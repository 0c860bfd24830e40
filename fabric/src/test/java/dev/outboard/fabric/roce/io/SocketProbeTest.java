package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

class SocketProbeTest {
    @Test
    void sendsAndReceivesManyPacketsInOneCall() {
        try (SocketProbe probe = new SocketProbe(Loopback.address())) {
            assertThat(probe.batching()).isEqualTo(SocketProbe.Batching.BOTH_WAYS);
            assertThat(probe.batching()).isEqualTo(SocketProbe.Batching.BOTH_WAYS);
        }
    }

    @Test
    @Requirement("ROCE-SOCK-4")
    void takesIpv6PacketsWithoutChecksum() {
        Loopback.bindIpv6().close();
        try (SocketProbe probe = new SocketProbe(ipv6())) {
            assertThat(probe.takesZeroChecksum()).isTrue();
        }
    }

    @Test
    void findsNothingWrongWithTheHeaders() {
        try (SocketProbe probe = new SocketProbe(Loopback.address())) {
            assertThat(probe.headerProblem()).isEmpty();
        }
    }

    @Test
    void tellsWhatFitsTheRoute() {
        try (SocketProbe probe = new SocketProbe(Loopback.address())) {
            assertThat(probe.fits(Loopback.address(), 4096)).isTrue();
        }
    }

    private static java.net.InetAddress ipv6() {
        return Loopback.address(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    }
}
