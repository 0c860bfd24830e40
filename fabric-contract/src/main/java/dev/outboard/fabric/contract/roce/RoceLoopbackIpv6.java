package dev.outboard.fabric.contract.roce;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The one device that fits on `::1`: it talks to itself. A second [#open] before it is closed
/// gives the same device.
public final class RoceLoopbackIpv6 {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(1);

    private @Nullable Device device;

    public Device open() {
        if (device == null) {
            device = openWhenFree();
            return device;
        }
        Device same = device;
        device = null;
        return same;
    }

    /// There is one IPv6 loopback address for everybody: somebody else's test may have it just now.
    private static Device openWhenFree() {
        long start = System.nanoTime();
        while (true) {
            try {
                return Fabric.open("roce://[::1]");
            } catch (FabricException e) {
                boolean isPassing = e.reason() == Reason.ADDRESS_IN_USE;
                if (!isPassing || System.nanoTime() - start > PATIENCE.toNanos()) {
                    return abort("no IPv6 here, or somebody else has it: " + e.getMessage());
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }
}
