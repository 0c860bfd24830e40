package dev.outboard.doca.jobs;

import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.TestDevices;
import org.junit.jupiter.api.Nested;

/// The jobs of 2023 over the RoCE provider, on loopback.
class RoceJobsTest {
    @Nested
    class Transfers extends JobTransferContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Life extends InstanceContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Queues extends WorkQueueContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }
}
