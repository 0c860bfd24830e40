package dev.outboard.naa;

import dev.outboard.fabric.Device;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The suite over a fabric inside this process, which sees leaks.
class RpcOverFakeTest extends RpcSuite {
    @RegisterExtension private final FakeFabric fabric = new FakeFabric();

    @Override
    Device open() {
        return fabric.device();
    }
}
