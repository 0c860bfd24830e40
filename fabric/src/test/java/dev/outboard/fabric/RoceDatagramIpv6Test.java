package dev.outboard.fabric;

/// Datagrams of the RoCE provider over IPv6.
final class RoceDatagramIpv6Test extends DatagramContract {
    private final LoopbackIpv6 loopback = new LoopbackIpv6();

    @Override
    Device open() {
        return loopback.open();
    }
}
