package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// An AFU in SystemVerilog as its author has it: files that are compiled as they are. Immutable.
///
/// ```java
/// RtlDesign design = RtlDesign.of(Path.of("hello.json"), Path.of("ccip_std_afu.sv"));
/// try (VerilatedAfu afu = RtlBuild.onThisMachine().compile(design).open(Profile.PAC_A10, seed)) {
///     …
/// }
/// ```
///
/// @param top the top module, which has the ports of [CCI-P][dev.outboard.ccip.platform.Profile]
/// @param sources the files to compile, packages before those who use them
/// @param includes directories in which included files and modules are looked for, besides those of
///   the sources
/// @param macros `NAME` or `NAME=value`, as on a compiler's command line
/// @param options what Verilator is told besides, one word each, such as `--unroll-count`, `256`
/// @param json the file with name and AFU_ID from which `afu_json_info.vh` is made
/// @param patches the file with places that the compiler cannot take as they are; see [Patch]
public record RtlDesign(
        String top,
        List<Path> sources,
        List<Path> includes,
        List<String> macros,
        List<String> options,
        Optional<Path> json,
        Optional<Path> patches) {
    /// The name that CCI-P gives the top module.
    public static final String STANDARD_TOP = "ccip_std_afu";

    /// Verilator's options for signals inside a design.
    private static final String TRACE = "--trace";

    static final String TRACE_DEPTH = "--trace-depth";

    public RtlDesign {
        sources = List.copyOf(sources);
        includes = List.copyOf(includes);
        macros = List.copyOf(macros);
        options = List.copyOf(options);
    }

    /// The design of these files, each taken for what its name says: `.json` describes the AFU,
    /// `.tsv` lists patches, `.txt` and `.f` list files in turn, as OPAE's `rtl_src_config` reads
    /// them, and all others are sources.
    ///
    /// @throws RtlException if a file is missing, or none is a source
    public static RtlDesign of(Path... files) {
        return of(List.of(files));
    }

    /// The design of these files; see [#of(Path...)].
    public static RtlDesign of(List<Path> files) {
        return of(files, System.getenv());
    }

    /// The design of these files, in lists of which a `${NAME}` stands for a variable of this
    /// environment; see [#of(Path...)].
    public static RtlDesign of(List<Path> files, Map<String, String> environment) {
        RtlDesign design =
                new RtlDesign(
                        STANDARD_TOP,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        Optional.empty());
        for (Path file : files) {
            design = design.with(file, new SourceList(environment));
        }
        if (design.sources.isEmpty()) {
            throw new RtlException(Reason.INPUT, "no SystemVerilog file in " + files);
        }
        return design;
    }

    RtlDesign with(Path file, SourceList lists) {
        if (!Files.isRegularFile(file)) {
            throw new RtlException(
                    Reason.INPUT, file + (Files.exists(file) ? " is no file" : " does not exist"));
        }
        String name = file.getFileName().toString();
        if (name.endsWith(".json")) {
            return new RtlDesign(
                    top, sources, includes, macros, options, Optional.of(file), patches);
        }
        if (name.endsWith(".tsv")) {
            return new RtlDesign(top, sources, includes, macros, options, json, Optional.of(file));
        }
        if (name.endsWith(".txt") || name.endsWith(".f")) {
            return lists.addTo(this, file);
        }
        return new RtlDesign(top, append(sources, file), includes, macros, options, json, patches);
    }

    /// The AFU_ID that its JSON file tells, if it has one.
    ///
    /// @throws RtlException if the file cannot be read, or tells none
    public Optional<UUID> id() {
        return json.map(AfuJson::read).map(afu -> afu.accelerators().getFirst().id());
    }

    /// This design with another top module.
    public RtlDesign withTop(String module) {
        return new RtlDesign(module, sources, includes, macros, options, json, patches);
    }

    /// This design with one more directory for included files.
    public RtlDesign withInclude(Path directory) {
        return new RtlDesign(
                top, sources, append(includes, directory), macros, options, json, patches);
    }

    /// This design with one more macro, `NAME` or `NAME=value`.
    public RtlDesign withMacro(String macro) {
        return new RtlDesign(top, sources, includes, append(macros, macro), options, json, patches);
    }

    /// This design with one more word for Verilator.
    public RtlDesign withOption(String option) {
        return new RtlDesign(
                top, sources, includes, macros, append(options, option), json, patches);
    }

    /// This design compiled so that the signals inside it can be written as waveforms, see
    /// [DesignWaves]: those of the top module and of so many levels of modules in all. The model is
    /// larger and slower.
    public RtlDesign withSignals(int levels) {
        if (levels < 1) {
            throw new IllegalArgumentException(levels + " levels; valid are 1 and more");
        }
        RtlDesign traced = this;
        for (String word :
                List.of(TRACE, "--trace-structs", "--trace-max-width", "1024", TRACE_DEPTH)) {
            traced = traced.withOption(word);
        }
        return traced.withOption(Integer.toString(levels));
    }

    /// Whether signals inside the design are compiled in.
    boolean hasSignals() {
        return options.contains(TRACE);
    }

    private static <T> List<T> append(List<T> list, T last) {
        List<T> longer = new ArrayList<>(list);
        longer.add(last);
        return longer;
    }

    /// A file of the design, each byte as one character: what its comments and strings are written
    /// in is nobody's business here.
    static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new RtlException(Reason.INPUT, file + " cannot be read: " + e.getMessage(), e);
        }
    }
}
