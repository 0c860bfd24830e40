package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UdpPingPongTest {
    /// Around a datagram, a credit, and the window.
    @ParameterizedTest
    @ValueSource(longs = {1, 4096, 4097, 32_769, 65_536, 300_000})
    void exchangesMessagesOfAnySizeRepeatedly(long bytes) {
        try (UdpPingPong pingPong = new UdpPingPong(bytes)) {
            for (int i = 0; i < 3; i++) {
                assertThatCode(pingPong::exchange).doesNotThrowAnyException();
            }
        }
    }
}
