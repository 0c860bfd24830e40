package dev.outboard.fabric;

/// Datagrams of the RoCE provider on loopback, each device on an address of its own.
final class RoceDatagramTest extends DatagramContract {
    @Override
    Device open() {
        return Fabric.open("roce://auto?peer=127.0.0.1");
    }
}
