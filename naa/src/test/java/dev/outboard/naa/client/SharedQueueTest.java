package dev.outboard.naa.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.naa.FakeFabric;
import org.junit.jupiter.api.Test;

/// How clients share the completion queues of a device.
class SharedQueueTest {
    private final FakeFabric fabric = new FakeFabric();
    private final Device device = fabric.device();

    @Test
    void clientsOfADeviceShareAQueueWhileItHasRoom() {
        fabric.limits = fabric.limits.toBuilder().maxCompletions(20).maxWorkRequests(40).build();
        SharedDevice shared = SharedDevice.of(device);
        assertThat(SharedDevice.of(device)).isSameAs(shared);
        QueueShare first = shared.share(12);
        QueueShare second = shared.share(8);
        QueueShare third = shared.share(1);
        assertThat(first.shared()).isSameAs(second.shared()).isNotSameAs(third.shared());
        first.close();
        QueueShare fourth = shared.share(12);
        assertThat(fourth.shared()).isSameAs(second.shared());
        second.close();
        third.close();
        fourth.close();
        shared.release();
        assertThat(fabric.openResources()).as("the other user").isEqualTo(2);
        shared.release();
        assertThat(fabric.openResources()).isZero();
        SharedDevice next = SharedDevice.of(device);
        assertThat(next).isNotSameAs(shared);
        next.release();
    }
}
