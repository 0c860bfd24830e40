package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.TestDevices;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import org.junit.jupiter.api.Nested;

/// DOCA RDMA over the RoCE provider, on loopback.
class RoceRdmaTest {
    @Nested
    class Transfers extends RdmaTransferContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Buffers extends RdmaBufferContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class ByAddress extends ConnectionByAddressContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }

        @Override
        RdmaAddress unreachable() {
            return RdmaAddress.ipv4("127.255.255.254", 1);
        }
    }

    @Nested
    class SeveralConnections extends OpenModeContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Receives extends RdmaReceiveContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Sends extends RdmaSendContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Reads extends RdmaReadContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Writes extends RdmaWriteContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Atomics extends RdmaAtomicContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class AtomicCampaigns extends AtomicCampaignContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Defaults extends RdmaDefaultsContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class ConnectionEvents extends ConnectionEventsContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Notifications extends NotificationContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Contexts extends RdmaContextContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Tasks extends RdmaTaskContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Batches extends TaskBatchContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Faults extends RdmaFaultContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class DeviceLosses extends RdmaDeviceLossContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class ConnectionTimeouts extends ConnectionTimeoutContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }

        @Override
        RdmaAddress unreachable() {
            return RdmaAddress.ipv4("127.255.255.254", 1);
        }
    }

    @Nested
    class KeepAlives extends KeepAliveContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Callbacks extends TaskCallbackContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Stops extends RdmaStopContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class AddressProcesses extends AddressProcessContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Processes extends RdmaProcessContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Losses extends RdmaLossContract {
        @Override
        DocaDevInfo device() {
            return DocaDevInfo.of(
                    RoceLoopback.URI + "&fault=loss=5%25,duplicate=2%25,reorder=2%25,seed=1");
        }
    }

    @Nested
    class Properties extends RdmaPropertiesContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Limits extends RdmaLimitContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Allocations extends RdmaAllocationContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class SyncEvents extends RdmaSyncEventContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class SyncEventFaults extends RdmaSyncEventFaultContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class SyncEventProcesses extends RdmaSyncEventProcessContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class GatedConnection extends GatedConnectionContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Threading extends ThreadingContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Progress extends ProgressContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class SubmitFlags extends SubmitFlagContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Drivers extends ProgressDriverContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Waits extends WaitingContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Records extends RecordingContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }

    @Nested
    class Visibility extends VisibilityContract {
        @Override
        DocaDevInfo device() {
            return TestDevices.loopback();
        }
    }
}
