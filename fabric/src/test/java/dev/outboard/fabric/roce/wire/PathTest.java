package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathTest {
    @ParameterizedTest
    @CsvSource({
        "10.77.0.1,  true,  0000000000000000, 0000ffff0a4d0001",
        "255.0.0.255, true, 0000000000000000, 0000ffffff0000ff",
        "fd77::2,    false, fd77000000000000, 0000000000000002",
        "::1,        false, 0000000000000000, 0000000000000001"
    })
    void addressIsItsOwnGid(String text, boolean ipv4, String high, String low)
            throws UnknownHostException {
        InetAddress address = InetAddress.getByName(text);
        Gid gid = Gid.of(address);

        assertThat(gid)
                .isEqualTo(
                        new Gid(Long.parseUnsignedLong(high, 16), Long.parseUnsignedLong(low, 16)));
        assertThat(gid.isIpv4()).isEqualTo(ipv4);
        assertThat(gid.toInetAddress())
                .isEqualTo(address)
                .isInstanceOf(ipv4 ? Inet4Address.class : Inet6Address.class);
        assertThat(gid).hasToString(address.getHostAddress());
    }

    @Test
    void leadsFromOneAddressToAnother() {
        Gid here = Gid.ofIpv4(0x7F000001);
        Gid there = Gid.ofIpv4(0x7F000002);
        Path path = new Path(here, there, 4791, 0x6A);

        assertThat(path.source()).isEqualTo(here);
        assertThat(path.destination()).isEqualTo(there);
        assertThat(path.sourcePort()).isEqualTo(4791);
        assertThat(path.trafficClass()).isEqualTo(0x6A);
        assertThat(path.isIpv4()).isTrue();
        assertThat(path.isDontFragment()).isTrue();
        assertThat(path).hasToString("127.0.0.1:4791 to 127.0.0.2");
    }

    @Test
    void keepsToOneIpVersion() {
        Gid ipv4 = Gid.ofIpv4(0x7F000001);
        Gid ipv6 = new Gid(0, 1);

        assertThatThrownBy(() -> new Path(ipv4, ipv6, 4791, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("127.0.0.1")
                .hasMessageContaining("0:0:0:0:0:0:0:1");
    }
}
