package dev.outboard.fabric;

import org.junit.jupiter.api.Nested;

/// The verbs of the RoCE provider, on loopback.
class RoceVerbsTest {
    private static Device loopback() {
        return Fabric.open("roce://auto?peer=127.0.0.1");
    }

    @Nested
    class QueuePairs extends QueuePairContract {
        @Override
        Device open() {
            return loopback();
        }
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueueContract {
        @Override
        Device open() {
            return loopback();
        }
    }

    @Nested
    class MemoryWindows extends MemoryWindowContract {
        @Override
        Device open() {
            return loopback();
        }
    }

    @Nested
    class CompletionChannels extends CompletionChannelContract {
        @Override
        Device open() {
            return loopback();
        }
    }
}
