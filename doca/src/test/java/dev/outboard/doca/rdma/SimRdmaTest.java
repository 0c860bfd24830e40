package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.SimulatedDevices;
import org.junit.jupiter.api.Nested;

/// DOCA RDMA over simulated devices, with the clock of the wall, because it has threads. What takes
/// several processes is left out: a simulated network is in one. So is what measures allocation: it
/// allocates per packet.
class SimRdmaTest {
    @Nested
    class Transfers extends RdmaTransferContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Buffers extends RdmaBufferContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class ByAddress extends ConnectionByAddressContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }

        @Override
        RdmaAddress unreachable() {
            return RdmaAddress.ipv4("10.255.255.254", 1);
        }
    }

    @Nested
    class SeveralConnections extends OpenModeContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Receives extends RdmaReceiveContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Sends extends RdmaSendContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Reads extends RdmaReadContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Writes extends RdmaWriteContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Atomics extends RdmaAtomicContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class AtomicCampaigns extends AtomicCampaignContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Defaults extends RdmaDefaultsContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class ConnectionEvents extends ConnectionEventsContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Notifications extends NotificationContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Contexts extends RdmaContextContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Tasks extends RdmaTaskContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Batches extends TaskBatchContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Faults extends RdmaFaultContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class DeviceLosses extends RdmaDeviceLossContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class ConnectionTimeouts extends ConnectionTimeoutContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }

        @Override
        RdmaAddress unreachable() {
            return RdmaAddress.ipv4("10.255.255.254", 1);
        }
    }

    @Nested
    class KeepAlives extends KeepAliveContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Callbacks extends TaskCallbackContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Stops extends RdmaStopContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Losses extends RdmaLossContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next(
                    "doca-lossy", "&loss=5%25&duplicate=2%25&reorder=2%25&seed=1");
        }
    }

    @Nested
    class Properties extends RdmaPropertiesContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Limits extends RdmaLimitContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class SyncEvents extends RdmaSyncEventContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class SyncEventFaults extends RdmaSyncEventFaultContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class GatedConnection extends GatedConnectionContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Threading extends ThreadingContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Progress extends ProgressContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class SubmitFlags extends SubmitFlagContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Drivers extends ProgressDriverContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Waits extends WaitingContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Records extends RecordingContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }

    @Nested
    class Visibility extends VisibilityContract {
        @Override
        DocaDevInfo device() {
            return SimulatedDevices.next();
        }
    }
}
