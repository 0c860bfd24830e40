package dev.outboard.fabric;

/// The RoCE provider and its connection manager over IPv6.
final class RoceFabricIpv6Test extends FabricContract {
    private final LoopbackIpv6 loopback = new LoopbackIpv6();

    @Override
    Device open() {
        return loopback.open();
    }
}
