package dev.outboard.fabric.contract.roce;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.contract.DatagramContract;
import dev.outboard.fabric.contract.DatagramServiceContract;
import dev.outboard.fabric.contract.FabricContract;
import org.junit.jupiter.api.Nested;

/// The RoCE provider over IPv6, whose loopback has one address: the suites whose two devices may be
/// the same one.
class RoceIpv6ContractTest {
    @Nested
    class Connections extends FabricContract {
        private final RoceLoopbackIpv6 loopback = new RoceLoopbackIpv6();

        @Override
        protected Device open() {
            return loopback.open();
        }
    }

    @Nested
    class Datagrams extends DatagramContract {
        private final RoceLoopbackIpv6 loopback = new RoceLoopbackIpv6();

        @Override
        protected Device open() {
            return loopback.open();
        }
    }

    @Nested
    class DatagramServices extends DatagramServiceContract {
        private final RoceLoopbackIpv6 loopback = new RoceLoopbackIpv6();

        @Override
        protected Device open() {
            return loopback.open();
        }
    }
}
