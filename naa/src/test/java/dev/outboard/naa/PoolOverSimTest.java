package dev.outboard.naa;

import static java.lang.foreign.MemorySegment.ofArray;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaPool;
import dev.outboard.testkit.Eventually;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The suite over simulated devices, which sees leaks and can fall silent.
class PoolOverSimTest extends PoolSuite {
    @RegisterExtension private final SimulatedFabric fabric = new SimulatedFabric();

    @Override
    Device open() {
        return fabric.device();
    }

    @Test
    void noticesThatAnIdleNaaFellSilent() {
        try (NaaPool pool = openPool()) {
            byte[] bytes = new byte[BYTES];
            pool.invoke(ofArray(bytes));
            fabric.cut();
            Eventually.until(() -> !pool.status().getFirst().isUp());
            fabric.heal();
            Eventually.until(() -> pool.status().getFirst().isUp());
            pool.invoke(ofArray(bytes));
            assertThat(bytes).containsOnly(2);
            assertThat(pool.status().getFirst().lastFailure()).isNotEmpty();
        }
    }
}
