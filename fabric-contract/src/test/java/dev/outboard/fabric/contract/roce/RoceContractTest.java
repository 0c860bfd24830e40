package dev.outboard.fabric.contract.roce;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.NicFunction;
import dev.outboard.fabric.contract.ClosingContract;
import dev.outboard.fabric.contract.CompletionChannelContract;
import dev.outboard.fabric.contract.CompletionSinkContract;
import dev.outboard.fabric.contract.ConnectionContract;
import dev.outboard.fabric.contract.DatagramContract;
import dev.outboard.fabric.contract.DatagramServiceContract;
import dev.outboard.fabric.contract.DeviceMemoryContract;
import dev.outboard.fabric.contract.FabricContract;
import dev.outboard.fabric.contract.FunctionContract;
import dev.outboard.fabric.contract.LimitsContract;
import dev.outboard.fabric.contract.MemoryWatchContract;
import dev.outboard.fabric.contract.MemoryWindowContract;
import dev.outboard.fabric.contract.MmioContract;
import dev.outboard.fabric.contract.QueuePairContract;
import dev.outboard.fabric.contract.RawPacketContract;
import dev.outboard.fabric.contract.SharedReceiveQueueContract;
import dev.outboard.fabric.contract.ThreadsContract;
import org.junit.jupiter.api.Nested;

/// Every suite on the RoCE provider, each device on an address of its own.
public class RoceContractTest {
    @Nested
    class Connections extends FabricContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class Attempts extends ConnectionContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class Closing extends ClosingContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class Sizes extends LimitsContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class QueuePairs extends QueuePairContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueueContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class MemoryWindows extends MemoryWindowContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class DeviceMemories extends DeviceMemoryContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class Functions extends FunctionContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }

        @Override
        protected Device openAsHost(NicFunction function) {
            return Fabric.open(function.name());
        }
    }

    @Nested
    class MemoryWatches extends MemoryWatchContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class Registers extends MmioContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class RawPackets extends RawPacketContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class Datagrams extends DatagramContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class DatagramServices extends DatagramServiceContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class CompletionChannels extends CompletionChannelContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class CompletionSinks extends CompletionSinkContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }

    @Nested
    class Threads extends ThreadsContract {
        @Override
        protected Device open() {
            return RoceLoopback.open();
        }
    }
}
