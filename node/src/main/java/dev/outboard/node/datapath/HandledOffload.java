package dev.outboard.node.datapath;

import dev.outboard.fabric.Device;
import dev.outboard.node.offload.Offload;
import dev.outboard.node.offload.OffloadedRoutine;
import dev.outboard.node.offload.Target;
import java.util.Set;
import java.util.function.Consumer;

/// A routine that can be on the data path, too: on target `dpa-handler`, a handler computes it and
/// answers by itself.
///
/// @param elsewhere what computes it on a node without a data path
/// @param program whose handler does on one with it; routines that are to be there together have
///   the same one
public record HandledOffload(Offload elsewhere, HandlerProgram program) implements Offload {
    @Override
    public Set<Target> otherTargets() {
        return Set.of(Target.DPA_HANDLER);
    }

    @Override
    public OffloadedRoutine open(Device device) {
        return elsewhere.open(device);
    }

    @Override
    public OffloadedRoutine open(Device device, Consumer<String> says) {
        return elsewhere.open(device, says);
    }
}
