package dev.outboard.console.afu;

import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.ccip.rtl.RtlDesign;
import dev.outboard.ccip.rtl.VerilatedDesign;
import java.io.PrintWriter;
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

    @Option(
            names = "--verilator-option",
            paramLabel = "WORDS",
            description = "Tell Verilator this too, such as '--unroll-count 256'; may be repeated.")
    private List<String> options = new ArrayList<>();

    private RtlDesign design(List<Path> files) {
        RtlDesign design = RtlDesign.of(files).withTop(top);
        for (Path include : includes) {
            design = design.withInclude(include);
        }
        for (String macro : macros) {
            design = design.withMacro(macro);
        }
        for (String words : options) {
            for (String word : words.strip().split("\\s+")) {
                design = design.withOption(word);
            }
        }
        return design;
    }

    /// Compiles files, saying on a stream what goes on and what Verilator remarks.
    ///
    /// @param levels of modules whose signals are to be in the waveforms, 0 for none
    VerilatedDesign compile(List<Path> files, int levels, PrintWriter remarks) {
        RtlDesign design = levels == 0 ? design(files) : design(files).withSignals(levels);
        VerilatedDesign built =
                RtlBuild.onThisMachine()
                        .reporting(step -> {
                            remarks.println(step);
                            remarks.flush();
                        })
                        .compile(design);
        built.warnings().forEach(remarks::println);
        return built;
    }
}
