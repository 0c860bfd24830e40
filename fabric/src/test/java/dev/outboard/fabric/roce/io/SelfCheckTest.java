package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.roce.wire.IcrcVerifier.Policy;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelfCheckTest {
    private final Traffic.Listener listener = new Traffic.Listener();

    @Test
    @Requirement("ROCE-SOCK-3")
    void passesASocketWhoseHeadersAreKnown() {
        try (UdpSocket socket = Loopback.bind()) {
            assertThat(Transmitter.open(socket, listener).counters().total()).isZero();
        }
    }

    /// 0 never sets DF, 1 sets it and counts identifications.
    @ParameterizedTest
    @CsvSource({"0, 0x0000", "1, 0x4000"})
    @Requirement("ROCE-SOCK-3")
    void refusesToTransmitWhenTheKernelWritesAnotherHeader(int discovery, String flags) {
        try (UdpSocket socket = Loopback.bind()) {
            socket.option(UdpSocket.IPPROTO_IP, UdpSocket.IP_MTU_DISCOVER, discovery);
            // A counter may pass through 0 once.
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> SelfCheck.require(socket))
                        .isInstanceOfSatisfying(
                                FabricException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.UNUSABLE_PATH))
                        .hasMessageContaining(socket.localAddress().getHostAddress())
                        .hasMessageContaining("flags " + flags)
                        .hasMessageContaining("IPv6");
            }
            assertThatThrownBy(() -> Transmitter.open(socket, listener))
                    .isInstanceOf(FabricException.class);
        }
    }

    @Test
    void leavesNothingBehind() {
        try (UdpSocket socket = Loopback.bind()) {
            Transmitter.open(socket, listener);

            assertThat(socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_TIMESTAMPING)).isZero();
            Receiver receiver = new Receiver(socket, Policy.SOLVE);
            List<Traffic.Arrival> arrivals = new ArrayList<>();
            Traffic.receiveAll(receiver, arrivals);
            assertThat(arrivals).isEmpty();
            assertThat(receiver.counters().get(ReceiveCounter.PACKETS)).isZero();
        }
    }

    @Test
    void hasNothingToProveOnIpv6() {
        try (UdpSocket socket = Loopback.bindIpv6()) {
            SelfCheck.require(socket);
        }
    }
}
