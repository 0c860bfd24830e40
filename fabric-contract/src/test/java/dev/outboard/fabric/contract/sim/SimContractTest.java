package dev.outboard.fabric.contract.sim;

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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;

/// Every suite on simulated devices. What one thread does, it does in virtual time.
public class SimContractTest {
    private static final AtomicInteger NEXT_HOST = new AtomicInteger();

    private static Device open(String network, String options) {
        int host = NEXT_HOST.incrementAndGet();
        return Fabric.open(
                "sim://%s/10.0.%d.%d%s".formatted(network, host / 250, host % 250 + 1, options));
    }

    @Nested
    class Connections extends FabricContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class Attempts extends ConnectionContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class Closing extends ClosingContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class Sizes extends LimitsContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class QueuePairs extends QueuePairContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueueContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class MemoryWindows extends MemoryWindowContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class DeviceMemories extends DeviceMemoryContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class Functions extends FunctionContract {
        @Override
        protected Device open() {
            int host = NEXT_HOST.incrementAndGet();
            return SimContractTest.open(
                    "contract",
                    "?role=dpu&functions=vf:10.1.%1$d.%2$d,sf:10.2.%1$d.%2$d"
                            .formatted(host / 250, host % 250 + 1));
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
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class Registers extends MmioContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class RawPackets extends RawPacketContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class Datagrams extends DatagramContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class DatagramServices extends DatagramServiceContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class CompletionChannels extends CompletionChannelContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class CompletionSinks extends CompletionSinkContract {
        @Override
        protected Device open() {
            return SimContractTest.open("contract", "");
        }
    }

    @Nested
    class Threads extends ThreadsContract {
        @Override
        protected Device open() {
            return SimContractTest.open("threads", "?clock=real");
        }
    }
}
