package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaDevInfo;
import org.junit.jupiter.api.Nested;

/// DOCA RDMA over the RoCE provider, on loopback.
class RoceRdmaTest {
    private static DocaDevInfo loopback() {
        return DocaDevInfo.of("roce://auto?peer=127.0.0.1");
    }

    @Nested
    class Transfers extends RdmaTransferContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Buffers extends RdmaBufferContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class ByAddress extends ConnectionByAddressContract {
        @Override
        DocaDevInfo device() {
            return loopback();
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
            return loopback();
        }
    }

    @Nested
    class Receives extends RdmaReceiveContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Sends extends RdmaSendContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Reads extends RdmaReadContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Writes extends RdmaWriteContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Atomics extends RdmaAtomicContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class AtomicCampaigns extends AtomicCampaignContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Defaults extends RdmaDefaultsContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class ConnectionEvents extends ConnectionEventsContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Notifications extends NotificationContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Contexts extends RdmaContextContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Tasks extends RdmaTaskContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Batches extends TaskBatchContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Faults extends RdmaFaultContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class DeviceLosses extends RdmaDeviceLossContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class ConnectionTimeouts extends ConnectionTimeoutContract {
        @Override
        DocaDevInfo device() {
            return loopback();
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
            return loopback();
        }
    }

    @Nested
    class Callbacks extends TaskCallbackContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Stops extends RdmaStopContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class AddressProcesses extends AddressProcessContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Processes extends RdmaProcessContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Losses extends RdmaLossContract {
        @Override
        DocaDevInfo device() {
            return DocaDevInfo.of(
                    "roce://auto?peer=127.0.0.1"
                            + "&fault=loss=5%25,duplicate=2%25,reorder=2%25,seed=1");
        }
    }

    @Nested
    class Properties extends RdmaPropertiesContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Limits extends RdmaLimitContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Allocations extends RdmaAllocationContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class SyncEvents extends RdmaSyncEventContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class SyncEventFaults extends RdmaSyncEventFaultContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class SyncEventProcesses extends RdmaSyncEventProcessContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class GatedConnection extends GatedConnectionContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Threading extends ThreadingContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Progress extends ProgressContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class SubmitFlags extends SubmitFlagContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Drivers extends ProgressDriverContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Waits extends WaitingContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Records extends RecordingContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }

    @Nested
    class Visibility extends VisibilityContract {
        @Override
        DocaDevInfo device() {
            return loopback();
        }
    }
}
