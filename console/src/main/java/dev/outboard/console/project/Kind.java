package dev.outboard.console.project;

import java.util.List;
import java.util.Locale;

/// What a project makes: a routine that is computed by a processor of a node, by a function of an
/// FPGA, or by kernels of a data-path accelerator.
enum Kind {
    ROUTINE,
    AFU,
    DPA;

    /// The files that projects of this kind do not share with others.
    List<String> files() {
        String provider = "src/SampleRoutines.java";
        String test = "test/SampleTest.java";
        return switch (this) {
            case ROUTINE -> List.of(provider, test);
            case AFU -> List.of(provider, "src/SampleAfu.java", test);
            case DPA -> List.of(provider, "src/SampleKernel.java", test);
        };
    }

    /// As it is written.
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
