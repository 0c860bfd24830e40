package dev.outboard.fabric;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.outboard.fabric.FabricException.Reason;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// The one device that fits on `::1`: it talks to itself. A second [#open] before it is closed
/// gives the same device.
final class LoopbackIpv6 {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(1);

    private Device device;
    private boolean isShared;

    Device open() {
        isShared = !isShared;
        if (isShared) {
            device = openWhenFree();
        }
        return device;
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
