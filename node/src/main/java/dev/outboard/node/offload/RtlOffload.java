package dev.outboard.node.offload;

import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.ccip.rtl.RtlDesign;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.fabric.Device;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

/// A routine that is a function of an FPGA in SystemVerilog, compiled when a node opens it. On
/// target `chain`, a handler of the data path drives it; everywhere else it is an [AfuRoutine].
///
/// ```java
/// RtlDesign design = RtlDesign.of(Path.of("upper.json"), Path.of("upper.sv"));
/// RoutineSpec.of(42, "upper", new RtlOffload(design))
/// ```
///
/// @param design the sources, with the JSON file that has the AFU_ID; they are read when it is
///   opened
public record RtlOffload(RtlDesign design) implements Offload {
    @Override
    public Set<Target> otherTargets() {
        return EnumSet.of(Target.AFU, Target.CHAIN);
    }

    @Override
    public OffloadedRoutine open(Device device) {
        return open(device, step -> {});
    }

    @Override
    public OffloadedRoutine open(Device device, Consumer<String> says) {
        return AfuRoutine.of(function(says));
    }

    /// Compiles it, unless this machine has it compiled already.
    ///
    /// @param says is told what takes time
    /// @throws RtlException if Verilator or a C++ compiler is missing, or one refuses the design;
    ///   the message has the file and the line
    /// @throws IllegalArgumentException if there is no JSON file with its AFU_ID
    public AfuFunction function(Consumer<String> says) {
        String about = design.sources().getFirst().getFileName() + ": ";
        return AfuFunction.of(
                RtlBuild.onThisMachine()
                        .reporting(step -> says.accept(about + step))
                        .compile(design));
    }
}
