package dev.outboard.console.afu;

import dev.outboard.ccip.rtl.VerilatedDesign;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard afu build`: compiles a design, to see whether it can be, and for the run to come.
@Command(
        name = "build",
        description = {
            "Compile an AFU in SystemVerilog with Verilator.",
            "The files are taken as they are: .sv and .v are compiled in this order, .json"
                    + " describes the AFU, .txt and .f list files in turn as OPAE's rtl_src_config"
                    + " reads them, .tsv lists patches. The package ccip_if_pkg and the headers"
                    + " platform_if.vh and afu_json_info.vh are supplied."
        })
final class BuildCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Mixin private DesignOptions options;

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "The files of the design.")
    private List<Path> files = List.of();

    @Override
    public void run() {
        VerilatedDesign built = options.compile(files, 0, spec.commandLine().getErr());
        PrintWriter out = spec.commandLine().getOut();
        out.println("built " + built.top() + ": " + built.library());
        built.id().ifPresent(id -> out.println("AFU_ID " + id));
    }
}
