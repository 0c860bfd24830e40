package dev.outboard.node.offload;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.outboard.ccip.afu.example.EdgeDetector;
import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.ccip.rtl.RtlDesign;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.testkit.Repository;
import java.nio.file.Path;

/// Functions in SystemVerilog for tests, which are skipped without Verilator.
final class Verilated {
    private Verilated() {}

    /// The edge detector.
    static AfuFunction edgeDetector() {
        RtlBuild build = build();
        RtlDesign design = build.resources(EdgeDetector.class, EdgeDetector.SYSTEM_VERILOG);
        return AfuFunction.of(build.compile(design));
    }

    /// What does as the user bytes say.
    static AfuFunction moody() {
        return AfuFunction.of(build().compile(design("moody")));
    }

    /// What is not compiled yet.
    static RtlDesign design(String name) {
        Path files = Repository.root().resolve("node/src/test/resources/dev/outboard/node/offload");
        return RtlDesign.of(files.resolve(name + ".json"), files.resolve(name + ".sv"));
    }

    /// The tools of this machine.
    static RtlBuild build() {
        try {
            return RtlBuild.onThisMachine();
        } catch (RtlException e) {
            return abort("needs Verilator and a C++ compiler: " + e.getMessage());
        }
    }
}
