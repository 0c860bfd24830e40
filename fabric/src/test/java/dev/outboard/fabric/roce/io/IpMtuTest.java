package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.roce.wire.PathMtu;
import java.net.NetworkInterface;
import org.junit.jupiter.api.Test;

class IpMtuTest {
    @Test
    void everyLoopbackAddressHasTheMtuOfTheLoopbackInterface() throws Exception {
        int loopback = NetworkInterface.getByInetAddress(Loopback.address(127, 0, 0, 1)).getMTU();

        assertThat(IpMtu.of(Loopback.address(127, 91, 3, 4))).isEqualTo(loopback);
        assertThat(PathMtu.largestFor(loopback)).contains(PathMtu.MTU_4096);
    }

    @Test
    void anotherAddressHasTheMtuOfItsInterface() throws Exception {
        for (NetworkInterface nic : NetworkInterface.networkInterfaces().toList()) {
            int mtu = nic.getMTU();
            nic.inetAddresses()
                    .filter(address -> !address.isLoopbackAddress())
                    .forEach(address -> assertThat(IpMtu.of(address)).isEqualTo(mtu));
        }
    }

    /// Loopback has another address for a while, one that is not within 127.0.0.0/8.
    @Test
    void anAddressIsLookedForOnEveryInterface() throws Exception {
        int loopback = NetworkInterface.getByInetAddress(Loopback.address(127, 0, 0, 1)).getMTU();

        OwnNetwork.with(
                "ip address add 10.91.0.1/32 dev lo",
                "ip address del 10.91.0.1/32 dev lo",
                () -> assertThat(IpMtu.of(Loopback.address(10, 91, 0, 1))).isEqualTo(loopback));
    }

    @Test
    void aForeignAddressHasNone() {
        assertThatThrownBy(() -> IpMtu.of(Loopback.address(203, 0, 113, 7)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("203.0.113.7");
    }
}
