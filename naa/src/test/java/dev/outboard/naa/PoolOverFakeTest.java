package dev.outboard.naa;

import static java.lang.foreign.MemorySegment.ofArray;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaPool;
import dev.outboard.testkit.Eventually;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The suite over a fabric inside this process, which sees leaks and can fall silent.
class PoolOverFakeTest extends PoolSuite {
    @RegisterExtension private final FakeFabric fabric = new FakeFabric();

    @Override
    Device open() {
        return fabric.device();
    }

    @Test
    void noticesThatAnIdleNaaFellSilent() {
        try (NaaPool pool = openPool()) {
            byte[] bytes = new byte[BYTES];
            pool.invoke(ofArray(bytes));
            fabric.deaf = true;
            Eventually.until(() -> !pool.status().getFirst().isUp());
            fabric.deaf = false;
            Eventually.until(() -> pool.status().getFirst().isUp());
            pool.invoke(ofArray(bytes));
            assertThat(bytes).containsOnly(2);
            assertThat(pool.status().getFirst().lastFailure()).isNotEmpty();
        }
    }
}
