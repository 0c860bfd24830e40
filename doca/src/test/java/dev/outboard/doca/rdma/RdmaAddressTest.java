package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.testkit.Requirement;
import java.net.InetAddress;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

@Requirement("DRDMA-CM-1")
class RdmaAddressTest {
    @Test
    void aLiteralOfEachTypeIsAnAddress() {
        RdmaAddress four = RdmaAddress.ipv4("192.0.2.1", 4791);
        RdmaAddress six = RdmaAddress.ipv6("2001:db8::1", 1);
        RdmaAddress gid = RdmaAddress.gid("::ffff:192.0.2.1", 65_535);

        assertThat(four.type()).isEqualTo(RdmaAddress.Type.IPV4);
        assertThat(four.address()).isEqualTo(InetAddress.ofLiteral("192.0.2.1"));
        assertThat(four.port()).isEqualTo(4791);
        assertThat(six.type()).isEqualTo(RdmaAddress.Type.IPV6);
        assertThat(six.address()).isEqualTo(InetAddress.ofLiteral("2001:db8::1"));
        assertThat(gid.type()).isEqualTo(RdmaAddress.Type.GID);
        assertThat(gid.address()).isEqualTo(four.address());
    }

    @Test
    void anythingElseIsRefused() {
        assertRefused(() -> RdmaAddress.ipv4("localhost", 1));
        assertRefused(() -> RdmaAddress.ipv4("::1", 1));
        assertRefused(() -> RdmaAddress.ipv4("192.0.2.256", 1));
        assertRefused(() -> RdmaAddress.ipv4("1.2.3", 5));
        assertRefused(() -> RdmaAddress.ipv4("1.2", 5));
        assertRefused(() -> RdmaAddress.ipv4("1", 5));
        assertRefused(() -> RdmaAddress.ipv4("1.2.3.4.5", 5));
        assertRefused(() -> RdmaAddress.ipv4("1.2.3.", 5));
        assertRefused(() -> RdmaAddress.ipv4("1.2.3.4 ", 5));
        InetAddress six = InetAddress.ofLiteral("2001:db8::1");
        assertRefused(() -> new RdmaAddress(RdmaAddress.Type.IPV4, six, 5));
        assertRefused(() -> RdmaAddress.ipv6("192.0.2.1.1", 1));
        assertRefused(() -> RdmaAddress.gid("fe80::1::2", 1));
        assertRefused(() -> RdmaAddress.gid("", 1));
        assertRefused(() -> RdmaAddress.ipv4("192.0.2.1", 0));
        assertRefused(() -> RdmaAddress.ipv4("192.0.2.1", 65_536));
    }

    private static void assertRefused(Supplier<RdmaAddress> address) {
        assertThatExceptionOfType(DocaException.class)
                .isThrownBy(address::get)
                .satisfies(e -> assertThat(e.error()).isEqualTo(DocaError.INVALID_VALUE));
    }
}
