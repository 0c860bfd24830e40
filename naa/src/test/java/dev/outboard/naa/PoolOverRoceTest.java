package dev.outboard.naa;

import dev.outboard.fabric.Device;

/// The suite over RoCEv2 packets on loopback.
class PoolOverRoceTest extends PoolSuite {
    @Override
    Device open() {
        return SessionSuite.roce();
    }
}
