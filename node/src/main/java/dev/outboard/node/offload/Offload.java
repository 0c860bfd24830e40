package dev.outboard.node.offload;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.fabric.Device;
import dev.outboard.naa.server.Routine;
import dev.outboard.naa.server.RpcContext;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The routine of a specification that always runs elsewhere than on a processor of the node: on
/// what a node opens when it starts, and closes when it ends. So a provider in a JAR can offer
/// functions of an FPGA and kernels of a DPA.
///
/// ```java
/// RoutineSpec.of(64, "invert", Offload.afu(InvertAfu::new, InvertAfu.AFU_ID))
/// ```
///
/// Several specifications may have the same one, and are then computed by the same thing.
public interface Offload extends Routine {
    /// Opens what computes it.
    ///
    /// @param device of the node
    OffloadedRoutine open(Device device);

    /// The same, telling in lines what takes time.
    default OffloadedRoutine open(Device device, Consumer<String> says) {
        return open(device);
    }

    /// Where a node can have it run instead, if that is asked for.
    default Set<Target> otherTargets() {
        return Set.of();
    }

    /// Only a node opens it.
    @Override
    default int run(RpcContext rpc) {
        throw new IllegalStateException(
                "function %d runs on a target, which only a node opens: Node.start"
                        .formatted(rpc.functionCode()));
    }

    /// A function of an FPGA, behind a CCI-P port of its own; see [AfuRoutine].
    ///
    /// @param functions makes it, and another one in the place of one that a reset does not help
    /// @param afuId by which it is found there
    static Offload afu(Supplier<? extends Afu> functions, UUID afuId) {
        return _ -> AfuRoutine.of(AfuFunction.of(afuId, functions));
    }

    /// A kernel of a data-path accelerator of its own; see [DpaRoutine].
    static Offload dpa(DpaApp<DpaThread> app, DpaRoutine.Kernel kernel) {
        return device -> DpaRoutine.of(device, app, kernel);
    }
}
