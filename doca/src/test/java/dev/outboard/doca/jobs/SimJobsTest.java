package dev.outboard.doca.jobs;

import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.SimulatedDevices;
import org.junit.jupiter.api.Nested;

/// The jobs of 2023 over simulated devices, with the clock of the wall.
class SimJobsTest {
    @Nested
    class Transfers extends JobTransferContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Life extends InstanceContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Queues extends WorkQueueContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }
}
