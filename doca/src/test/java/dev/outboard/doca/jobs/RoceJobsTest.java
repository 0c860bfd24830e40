package dev.outboard.doca.jobs;

import dev.outboard.doca.DocaDevInfo;
import org.junit.jupiter.api.Nested;

/// The jobs of 2023 over the RoCE provider, on loopback.
class RoceJobsTest {
    private static DocaDevInfo loopback() {
        return DocaDevInfo.of("roce://auto?peer=127.0.0.1");
    }

    @Nested
    class Transfers extends JobTransferContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Life extends InstanceContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Queues extends WorkQueueContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }
}
