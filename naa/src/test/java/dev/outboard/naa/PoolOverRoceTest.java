package dev.outboard.naa;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;

/// The suite over RoCEv2 packets on loopback.
class PoolOverRoceTest extends PoolSuite {
    @Override
    Device open() {
        return Fabric.open("roce://auto?peer=127.0.0.1");
    }
}
