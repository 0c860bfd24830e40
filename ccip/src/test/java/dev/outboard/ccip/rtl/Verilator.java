package dev.outboard.ccip.rtl;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Verilator for tests, which are skipped without it.
final class Verilator {
    private Verilator() {}

    /// A build into the module's own cache: what did not change since the last run is not compiled
    /// again.
    static RtlBuild build() {
        try {
            return RtlBuild.with(
                    System.getenv(), Repository.root().resolve("ccip/target/rtl-cache"));
        } catch (RtlException e) {
            return abort("needs Verilator and a C++ compiler: " + e.getMessage());
        }
    }

    /// An example of the project.
    static RtlDesign example(String name) throws IOException {
        Path directory = Repository.root().resolve("examples/afu").resolve(name);
        try (Stream<Path> files = Files.list(directory)) {
            return RtlDesign.of(files.sorted().toList());
        }
    }

    /// A design of the tests: one file, and what tells it the AFU_ID.
    static RtlDesign design(String file) {
        return RtlDesign.of(List.of(Repository.root().resolve("ccip/src/test/rtl").resolve(file)));
    }

    /// The environment with other variables in it.
    static Map<String, String> environment(String... others) {
        Map<String, String> environment = new HashMap<>(System.getenv());
        for (int i = 0; i < others.length; i += 2) {
            environment.put(others[i], others[i + 1]);
        }
        return environment;
    }
}
