package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.roce.nic.NicMachine;
import dev.outboard.fabric.roce.transport.QueuePairMachine;

/// What is inside of what the application holds, for tests that look there.
public final class Inside {
    private Inside() {}

    public static NicMachine of(Device device) {
        return ((RoceDevice) device).nic();
    }

    public static QueuePairMachine of(QueuePair queuePair) {
        return ((RoceQueuePair) queuePair).machine();
    }
}
