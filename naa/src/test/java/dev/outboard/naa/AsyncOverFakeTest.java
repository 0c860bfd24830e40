package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import org.junit.jupiter.api.AfterEach;

/// The suite over a fabric inside this process, which sees leaks.
class AsyncOverFakeTest extends AsyncSuite {
    private final FakeFabric fabric = new FakeFabric();

    @Override
    Device open() {
        return fabric.device();
    }

    @Override
    @AfterEach
    void closeDevices() {
        super.closeDevices();
        assertThat(fabric.open).as("open resources").hasValue(0);
    }
}
