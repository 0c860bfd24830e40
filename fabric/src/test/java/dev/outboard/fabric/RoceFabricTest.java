package dev.outboard.fabric;

/// The RoCE provider on loopback, each device on an address of its own.
final class RoceFabricTest extends FabricContract {
    @Override
    Device open() {
        return Fabric.open("roce://auto?peer=127.0.0.1");
    }
}
