package dev.outboard.naa;

import dev.outboard.fabric.Device;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The suite over simulated devices, which sees leaks.
class MiddlewareOverSimTest extends MiddlewareSuite {
    @RegisterExtension private final SimulatedFabric fabric = new SimulatedFabric();

    @Override
    Device open() {
        return fabric.device();
    }
}
