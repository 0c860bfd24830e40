package dev.outboard.console.afu;

import dev.outboard.ccip.rtl.RtlDesign;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/// How SystemVerilog is compiled, beside its files.
final class DesignOptions {
    @Option(
            names = "--top",
            paramLabel = "MODULE",
            description = "The top module, default ${DEFAULT-VALUE}.")
    private String top = RtlDesign.STANDARD_TOP;

    @Option(
            names = {"-I", "--include"},
            paramLabel = "DIRECTORY",
            description = "Also look here for included files.")
    private List<Path> includes = new ArrayList<>();

    @Option(
            names = {"-D", "--define"},
            paramLabel = "NAME[=VALUE]",
            description = "Define a macro.")
    private List<String> macros = new ArrayList<>();

    RtlDesign design(List<Path> files) {
        RtlDesign design = RtlDesign.of(files).withTop(top);
        for (Path include : includes) {
            design = design.withInclude(include);
        }
        for (String macro : macros) {
            design = design.withMacro(macro);
        }
        return design;
    }
}
