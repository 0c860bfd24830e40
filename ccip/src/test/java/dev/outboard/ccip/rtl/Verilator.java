package dev.outboard.ccip.rtl;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/// Verilator for tests, which are skipped without it.
public final class Verilator {
    private Verilator() {}

    /// A build into the module's own cache: what did not change since the last run is not compiled
    /// again.
    public static RtlBuild build() {
        return build(System.getenv());
    }

    /// The same with the tools of this environment.
    static RtlBuild build(Map<String, String> environment) {
        try {
            return RtlBuild.with(environment, Repository.root().resolve("ccip/target/rtl-cache"));
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

    /// A design with the port of an AFU and this inside, under the name of a test: at the same
    /// place in every run, so that it is compiled once.
    static RtlDesign afu(Class<?> test, String body) throws IOException {
        return afu(test.getSimpleName(), body);
    }

    /// The same under another name.
    static RtlDesign afu(String name, String body) throws IOException {
        Path directory = Repository.root().resolve("ccip/target/rtl").resolve(name);
        Files.createDirectories(directory);
        return RtlDesign.of(Files.writeString(directory.resolve("ccip_std_afu.sv"), module(body)));
    }

    /// A module with the port of an AFU and this inside. The body begins in line 13.
    static String module(String body) {
        return """
        import ccip_if_pkg::*;
        module ccip_std_afu (
            input  logic        pClk,
            input  logic        pClkDiv2,
            input  logic        pClkDiv4,
            input  logic        uClk_usr,
            input  logic        uClk_usrDiv2,
            input  logic        pck_cp2af_softReset,
            input  logic [1:0]  pck_cp2af_pwrState,
            input  logic        pck_cp2af_error,
            input  t_if_ccip_Rx pck_cp2af_sRx,
            output t_if_ccip_Tx pck_af2cp_sTx);
        """
                + body
                + "endmodule\n";
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
