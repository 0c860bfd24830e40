package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.FabricException;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/// The ports of a device in one port space of RDMA IP CM: listeners and those who ask share them.
/// They have nothing to do with the UDP ports of the packets.
final class Ports {
    /// The ephemeral ports of Linux by default.
    static final int FIRST_EPHEMERAL = 32768;

    static final int LAST_EPHEMERAL = 60999;
    private static final int EPHEMERAL_COUNT = LAST_EPHEMERAL - FIRST_EPHEMERAL + 1;

    private final Set<Integer> taken = new HashSet<>();
    private int next;

    Ports(RandomGenerator random) {
        next = random.nextInt(EPHEMERAL_COUNT);
    }

    /// Takes `port`.
    ///
    /// @throws FabricException with SERVICE_IN_USE if somebody has it
    void take(int port) {
        if (!taken.add(port)) {
            throw new FabricException(
                    FabricException.Reason.SERVICE_IN_USE,
                    "port "
                            + port
                            + " of this device is taken; choose another, or 0 for a free one");
        }
    }

    /// Takes a free ephemeral port.
    ///
    /// ROCE-CM-19: an active identifier gets a port of its own.
    ///
    /// @throws FabricException with LIMIT_REACHED if none is free
    int takeEphemeral() {
        for (int tried = 0; tried < EPHEMERAL_COUNT; tried++) {
            int port = FIRST_EPHEMERAL + next;
            next = (next + 1) % EPHEMERAL_COUNT;
            if (taken.add(port)) {
                return port;
            }
        }
        throw new FabricException(
                FabricException.Reason.LIMIT_REACHED,
                "all ports from %d to %d of this device are taken; close connections first"
                        .formatted(FIRST_EPHEMERAL, LAST_EPHEMERAL));
    }

    void release(int port) {
        taken.remove(port);
    }
}
