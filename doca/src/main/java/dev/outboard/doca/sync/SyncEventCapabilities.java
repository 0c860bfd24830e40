package dev.outboard.doca.sync;

import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaException;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import java.util.EnumSet;
import java.util.Set;

/// What sync events on a device can do (`doca_sync_event_cap_*`). Asking neither opens nor changes
/// the device, and is possible at any time from any thread. Which locations can publish and
/// subscribe is told by [SyncEvent#isPublisherSupported] and [SyncEvent#isSubscriberSupported].
///
/// @param exports the locations that events can be exported to
/// @param imports the locations whose exports the device understands
/// @param taskTypes the tasks of a [SyncEventCtx] that are supported: all, on every device
public record SyncEventCapabilities(
        Set<Location> exports, Set<Location> imports, Set<SyncEventTaskType> taskTypes) {
    public SyncEventCapabilities {
        exports = Set.copyOf(DocaException.nonNull(exports, "exports"));
        imports = Set.copyOf(DocaException.nonNull(imports, "imports"));
        taskTypes = Set.copyOf(DocaException.nonNull(taskTypes, "taskTypes"));
    }

    /// Asks the device that `info` names.
    ///
    /// @throws DocaException if this machine has no such device, as
    ///   [dev.outboard.doca.DocaDev#open]
    public static SyncEventCapabilities of(DocaDevInfo info) {
        DocaException.nonNull(info, "info");
        try {
            Fabric.limits(info.uri()); // whether there is such a device
        } catch (FabricException e) {
            throw DocaException.of("asking what sync events on " + info + " can do", e);
        }
        return new SyncEventCapabilities(
                EnumSet.of(Location.REMOTE_NET),
                EnumSet.of(Location.REMOTE_NET),
                EnumSet.allOf(SyncEventTaskType.class));
    }

    /// Whether tasks of `type` are supported.
    public boolean supports(SyncEventTaskType type) {
        DocaException.nonNull(type, "type");
        return taskTypes.contains(type);
    }
}
