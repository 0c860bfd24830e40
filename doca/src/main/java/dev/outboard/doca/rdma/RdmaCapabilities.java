package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// What [Rdma] contexts on a device can do (`doca_rdma_cap_*`; catalog DRDMA-CAP). Asking neither
/// opens nor changes the device, and is possible at any time from any thread.
///
/// @param taskTypes the tasks that are supported: all, on every device
/// @param transportTypes the transports that are supported: RC, on every device
/// @param maxSendQueueSize send-side tasks in flight at most, per connection
/// @param maxRecvQueueSize receives in flight at most
/// @param maxSendBufListLen buffers in the list of a task that is sent to the peer, at most
/// @param maxMessageSize bytes of one message at most; an operation may fail for a smaller limit of
///   the operating system
/// @param maxMtu payload of one packet at most, in bytes
/// @param maxNumConnections connections of one context at most
/// @param gidTable the addresses of the device; in RoCE a GID is an IP address
public record RdmaCapabilities(
        Set<TaskType> taskTypes,
        Set<TransportType> transportTypes,
        int maxSendQueueSize,
        int maxRecvQueueSize,
        int maxSendBufListLen,
        long maxMessageSize,
        int maxMtu,
        int maxNumConnections,
        List<InetAddress> gidTable) {
    public RdmaCapabilities {
        taskTypes = Set.copyOf(DocaException.nonNull(taskTypes, "taskTypes"));
        transportTypes = Set.copyOf(DocaException.nonNull(transportTypes, "transportTypes"));
        gidTable = List.copyOf(DocaException.nonNull(gidTable, "gidTable"));
    }

    /// Asks the device that `info` names.
    ///
    /// DRDMA-CAP-2, DRDMA-CAP-4, DCORE-DEV-5: without opening the device.
    ///
    /// @throws DocaException if this machine has no such device, as
    ///   [dev.outboard.doca.DocaDev#open]
    public static RdmaCapabilities of(DocaDevInfo info) {
        DocaException.nonNull(info, "info");
        try {
            DeviceLimits limits = Fabric.limits(info.uri());
            Set<TaskType> taskTypes = EnumSet.allOf(TaskType.class);
            Set<TransportType> transportTypes = EnumSet.of(TransportType.RC);
            int maxSendQueueSize = limits.maxWorkRequests();
            int maxRecvQueueSize = limits.maxWorkRequests();
            int maxSendBufListLen = limits.maxScatterGather();
            long maxMessageSize = limits.maxMessageBytes();
            int maxMtu = limits.pathMtuBytes();
            int maxNumConnections = limits.maxQueuePairs();
            List<InetAddress> gidTable = info.address().stream().toList();
            return new RdmaCapabilities(
                    taskTypes,
                    transportTypes,
                    maxSendQueueSize,
                    maxRecvQueueSize,
                    maxSendBufListLen,
                    maxMessageSize,
                    maxMtu,
                    maxNumConnections,
                    gidTable);
        } catch (FabricException e) {
            throw DocaException.of("asking what " + info + " can do", e);
        }
    }

    /// Whether tasks of `type` are supported.
    ///
    /// DRDMA-CAP-1, DRDMA-CONF-1: each type is asked for by itself.
    public boolean supports(TaskType type) {
        DocaException.nonNull(type, "type");
        return taskTypes.contains(type);
    }

    /// Whether transport `type` is supported.
    public boolean supports(TransportType type) {
        DocaException.nonNull(type, "type");
        return transportTypes.contains(type);
    }

    /// Buffers in the list of a receive at most, over transport `type`.
    ///
    /// DRDMA-CAP-3: per transport.
    ///
    /// @throws DocaException with NOT_SUPPORTED if the transport is not
    public int maxReceiveDstBufListLen(TransportType type) {
        if (!supports(type)) {
            throw new DocaException(DocaError.NOT_SUPPORTED, type + " is not supported; RC is");
        }
        return maxSendBufListLen;
    }

    /// How many GIDs the device has.
    public int gidTableSize() {
        return gidTable.size();
    }

    /// `count` GIDs from index `start` on.
    ///
    /// @throws DocaException with INVALID_VALUE if the table has not that many
    public List<InetAddress> gids(int start, int count) {
        if (start < 0 || count < 0 || count > gidTable.size() - start) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%d GIDs from %d; the table has %d".formatted(count, start, gidTable.size()));
        }
        return gidTable.subList(start, start + count);
    }
}
