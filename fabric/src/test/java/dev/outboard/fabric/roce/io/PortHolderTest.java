package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PortHolderTest {
    @Test
    void namesTheProcessAndItsCommand() {
        try (UdpSocket socket = Loopback.bind()) {
            assertThat(PortHolder.of(socket.localAddress(), socket.localPort()))
                    .startsWith("process " + ProcessHandle.current().pid() + " (")
                    .contains("java");
        }
    }

    @Test
    void namesTheHolderOfAnIpv6Address() {
        try (UdpSocket socket = Loopback.bindIpv6()) {
            assertThat(PortHolder.of(socket.localAddress(), socket.localPort()))
                    .startsWith("process " + ProcessHandle.current().pid());
        }
    }

    @Test
    void saysThatNobodyHoldsAFreePort() {
        assertThat(PortHolder.of(Loopback.address(), 4791)).contains("ended since");
    }

    /// What the kernel prints on a little-endian machine.
    @ParameterizedTest
    @CsvSource({
        "0200007F:12B7, 127.0.0.2, 4791, true",
        "0300007F:12B7, 127.0.0.2, 4791, false",
        "0200007F:12B8, 127.0.0.2, 4791, false",
        "00000000:12B7, 127.0.0.2, 4791, true",
        "00000000000000000000000000000000:12B7, 127.0.0.2, 4791, true",
        "0000000000000000FFFF00000200007F:12B7, 127.0.0.2, 4791, true",
        "0000000000000000FFFF00000300007F:12B7, 127.0.0.2, 4791, false",
        "00000000000000000000000001000000:12B7, ::1, 4791, true",
        "00000000000000000000000001000000:12B7, fd00::1, 4791, false",
        "000000FD000000000000000001000000:12B7, fd00::1, 4791, true",
    })
    @EnabledIf("isLittleEndian")
    void readsAddressesAsTheKernelPrintsThem(String bound, String local, int port, boolean expected)
            throws UnknownHostException {
        assertThat(PortHolder.covers(bound, InetAddress.getByName(local), port))
                .isEqualTo(expected);
    }

    static boolean isLittleEndian() {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    }
}
