package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.Flow;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.roce.nic.NicQueuePair;
import dev.outboard.fabric.steering.Steering;

/// The application's view of a steering rule.
final class RoceFlow implements Flow {
    private final RoceDevice device;
    private final NicQueuePair queuePair;
    private final FlowMatch match;
    private boolean closed;

    /// Steers frames that match to `queuePair`. While driving.
    RoceFlow(RoceDevice device, NicQueuePair queuePair, FlowMatch match) {
        this.device = device;
        this.queuePair = queuePair;
        this.match = match;
        Steering<NicQueuePair> steering = device.nic().steering();
        NicQueuePair taker = steering.taker(match);
        if (taker != null) {
            throw new FabricException(
                    Reason.IN_USE,
                    "%s has a flow for %s already, which leads to queue pair %d; close that first"
                            .formatted(device.name(), match, taker.machine().number()));
        }
        int most = device.limits().maxFlows();
        if (steering.size() >= most) {
            throw new FabricException(
                    Reason.LIMIT_REACHED,
                    "all %d flows of %s exist".formatted(most, device.name()));
        }
        steering.add(match, queuePair);
    }

    @Override
    public FlowMatch match() {
        return match;
    }

    @Override
    public void close() {
        device.engine().exclusively(this::release);
    }

    /// The queue pair may have been closed, and another have its frames now.
    private void release() {
        Steering<NicQueuePair> steering = device.nic().steering();
        if (!closed && steering.taker(match) == queuePair) {
            steering.remove(match);
        }
        closed = true;
    }

    @Override
    public String toString() {
        return "flow of %s to queue pair %d: %s"
                .formatted(device.name(), queuePair.machine().number(), match);
    }
}
