package dev.outboard.fabric;

import org.junit.jupiter.api.Nested;

/// Datagram services of the RoCE provider.
final class RoceDatagramServiceTest {
    @Nested
    final class OverIpv4 extends DatagramServiceContract {
        @Override
        Device open() {
            return Fabric.open("roce://auto?peer=127.0.0.1");
        }
    }

    @Nested
    final class OverIpv6 extends DatagramServiceContract {
        private final LoopbackIpv6 loopback = new LoopbackIpv6();

        @Override
        Device open() {
            return loopback.open();
        }
    }
}
