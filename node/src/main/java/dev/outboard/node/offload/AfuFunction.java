package dev.outboard.node.offload;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.VerilatedDesign;
import java.util.UUID;
import java.util.function.Supplier;

/// A function for a port of an FPGA, which is called by [dev.outboard.ccip.afu.CallRegisters]: one
/// in Java, or one in SystemVerilog that was compiled.
///
/// ```java
/// AfuFunction.of(EdgeDetector.AFU_ID, EdgeDetector::new);
/// AfuFunction.of(RtlBuild.onThisMachine().compile(design));
/// ```
///
/// @param id the AFU_ID by which it is found behind its port
/// @param behindAPort makes one for a port, and another one when a reset does not help
public record AfuFunction(UUID id, Supplier<? extends Afu> behindAPort) {
    /// The platform of every port.
    static final Profile PLATFORM = Profile.PAC_A10;

    /// Decides what registers in SystemVerilog hold before they are set.
    private static final long SEED = 1;

    /// A function in Java.
    public static AfuFunction of(UUID id, Supplier<? extends Afu> behindAPort) {
        return new AfuFunction(id, behindAPort);
    }

    /// A function in SystemVerilog.
    ///
    /// @throws IllegalArgumentException if no JSON file has told its AFU_ID
    public static AfuFunction of(VerilatedDesign design) {
        UUID id =
                design.id()
                        .orElseThrow(() ->
                                new IllegalArgumentException(
                                        "design '%s' has no AFU_ID; compile it with its JSON file"
                                                .formatted(design.top())));
        return new AfuFunction(id, () -> design.open(PLATFORM, SEED));
    }
}
