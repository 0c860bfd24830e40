package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import dev.outboard.ccip.rtl.Toolchain.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One design on its way from SystemVerilog to C++, in a directory of its own. Where Verilator
/// refuses what tools for FPGAs take it is asked again, in another way.
final class Verilation {
    private static final String PACKAGE = "ccip_if_pkg.sv";
    private static final String CONFIGURATION = "ccip_cfg_pkg.sv";
    private static final String CROSSING = "ccip_clock_crossing";

    /// What this package supplies to every design.
    static final List<String> SUPPLIED =
            List.of(
                    PACKAGE,
                    CONFIGURATION,
                    CROSSING + ".sv",
                    "ccip_if.vh",
                    "platform_afu_top_config.vh",
                    "platform_if.vh",
                    "shim.cpp",
                    "print.h",
                    "primitives/altsyncram.v",
                    "primitives/call_registers.sv",
                    "primitives/ccip_if_clock.sv",
                    "primitives/dcfifo.v",
                    "primitives/scfifo.v");

    /// Registers and memories start as is said at run time: what a design does before it has set
    /// them shows as a difference between seeds. Long functions are split, for the C++ compiler's
    /// sake.
    static final List<String> VERILATOR_OPTIONS =
            List.of(
                    "--cc",
                    "--prefix",
                    "Vafu",
                    "-O3",
                    "--x-initial",
                    "unique",
                    "--assert",
                    "--output-split",
                    "10000",
                    "--output-split-cfuncs",
                    "2500",
                    "--no-timing",
                    "-Wno-fatal",
                    "-Wno-ENUMVALUE",
                    "-Wwarn-UNDRIVEN",
                    "-Wno-SPLITVAR");

    /// A structure some of whose members are registers while others are wires: correct, and usual
    /// in designs for CCI-P, but Verilator takes the structure for one variable.
    private static final Pattern MIXED =
            Pattern.compile("%Error-BLKANDNBLK: .*to same variable: '(?:[^']*\\.)?(\\w+)'");

    /// A constant with x or z at a place where Verilator cannot put a value of its own for it. The
    /// second is what the version of Debian 12 says of one in a list.
    private static final Pattern FOUR_STATES =
            Pattern.compile(
                    "4-state numbers in this context|V3Localize.cpp:\\d+: AstVarRef not under");

    /// A loop that is longer than Verilator unrolls by itself.
    private static final Pattern LONG_LOOP =
            Pattern.compile("%Error-BLKLOOPINIT|%Error.*--unroll-count");

    private static final List<String> UNROLL =
            List.of("--unroll-count", "65536", "--unroll-stmts", "10000000");

    private static final int MESSAGES_SHOWN = 10;

    private final Toolchain tools;
    private final RtlDesign design;
    private final Optional<AfuJson> json;
    private final Path work;
    private final Path supplied;
    private final Path objects;
    private final SourceCopies copies;
    private final Set<String> mixed = new LinkedHashSet<>();
    private boolean fourStates;
    private boolean longLoops;

    Verilation(Toolchain tools, RtlDesign design, Optional<AfuJson> json, Path work)
            throws IOException {
        this.tools = tools;
        this.design = design;
        this.json = json;
        this.work = work;
        supplied = work.resolve("supplied");
        objects = work.resolve("objects");
        copies = new SourceCopies(design, work);
    }

    /// Makes C++ of the design and looks at its port.
    ///
    /// @return what Verilator printed
    String verilate() throws IOException {
        for (String name : SUPPLIED) {
            Path file = supplied.resolve(name);
            Files.createDirectories(file.getParent());
            try (InputStream resource = resource(name)) {
                Files.copy(resource, file);
            }
        }
        Path generated = Files.createDirectory(work.resolve("generated"));
        if (json.isPresent()) {
            Files.writeString(generated.resolve("afu_json_info.vh"), json.get().header());
        }
        Outcome outcome = Toolchain.run(command(generated), work);
        while (outcome.status() != 0 && learn(outcome.output())) {
            outcome = Toolchain.run(command(generated), work);
        }
        if (outcome.status() != 0) {
            throw refused(outcome);
        }
        FatalPlaces.write(SourceCopies.files(design), objects.resolve("fatal.h"));
        Port.check(design.top(), Files.readString(objects.resolve("Vafu.h")));
        return note() + withoutHere(outcome.output());
    }

    static InputStream resource(String name) {
        InputStream resource = Verilation.class.getResourceAsStream(name);
        if (resource == null) {
            throw new IllegalStateException("no resource " + name);
        }
        return resource;
    }

    /// Where the C++ is.
    Path objects() {
        return objects;
    }

    /// Where the native side of the port is.
    Path supplied() {
        return supplied;
    }

    private List<String> command(Path generated) throws IOException {
        SourceCopies.View files = copies.view();
        List<String> command = new ArrayList<>();
        command.add(tools.verilator().toString());
        command.addAll(VERILATOR_OPTIONS);
        command.addAll(List.of("--x-assign", fourStates ? "0" : "unique"));
        if (longLoops) {
            command.addAll(UNROLL);
        }
        command.addAll(List.of("--top-module", topModule(), "--Mdir", objects.toString()));
        command.add("-I" + generated);
        for (Path directory : files.directories()) {
            command.add("-I" + directory);
            command.addAll(List.of("-y", directory.toString()));
        }
        command.add("-I" + supplied);
        command.addAll(List.of("-y", supplied.resolve("primitives").toString()));
        design.macros().forEach(macro -> command.add("-D" + macro));
        addPackages(command);
        files.sources().forEach(file -> command.add(file.toString()));
        addCrossing(command);
        if (!mixed.isEmpty()) {
            command.add("-Wno-BLKANDNBLK");
            command.add(splitting().toString());
        }
        command.addAll(design.options());
        if (crosses()) {
            deepenTrace(command);
        }
        return command;
    }

    /// The crossing is a level above the AFU.
    private static void deepenTrace(List<String> command) {
        int levels = command.lastIndexOf(RtlDesign.TRACE_DEPTH) + 1;
        if (levels > 0) {
            command.set(levels, Integer.toString(Integer.parseInt(command.get(levels)) + 1));
        }
    }

    private void addPackages(List<String> command) {
        for (String name : List.of(PACKAGE, CONFIGURATION)) {
            if (design.sources().stream().noneMatch(file -> file.endsWith(name))) {
                command.add(supplied.resolve(name).toString());
            }
        }
    }

    private boolean crosses() {
        return json.filter(afu -> !afu.portClock().equals(AfuJson.P_CLK)).isPresent();
    }

    private String topModule() {
        return crosses() ? CROSSING : design.top();
    }

    /// CCIP-RTL-14: an AFU whose JSON file asks for another clock gets its port on it.
    private void addCrossing(List<String> command) {
        if (crosses()) {
            String clock = json.orElseThrow().portClock();
            String macro = "-DPLATFORM_PARAM_CCI_P_CLOCK";
            command.add(macro + "=" + clock);
            command.add(macro + "_IS_" + clock.toUpperCase(Locale.ROOT) + "=1");
            command.add("-DOUTBOARD_AFU=" + design.top());
            command.add(supplied.resolve(CROSSING + ".sv").toString());
        }
    }

    /// Takes in what Verilator refused.
    ///
    /// CCIP-RTL-16: what tools for FPGAs take is asked for in another way.
    ///
    /// @return whether there is another way to ask
    private boolean learn(String output) throws IOException {
        boolean learned = copies.learn(output);
        for (Matcher found = MIXED.matcher(output); found.find(); ) {
            learned |= mixed.add(found.group(1));
        }
        if (!fourStates && FOUR_STATES.matcher(output).find()) {
            fourStates = true;
            learned = true;
        }
        if (!longLoops && LONG_LOOP.matcher(output).find()) {
            longLoops = true;
            learned = true;
        }
        return learned;
    }

    private String note() {
        return fourStates
                ? "%Warning-FOURSTATE: A constant with x or z stands where there must be one value:"
                        + " all x that the design assigns are 0\n"
                : "";
    }

    private Path splitting() throws IOException {
        StringBuilder configuration = new StringBuilder("`verilator_config\n");
        for (String variable : mixed) {
            configuration.append("split_var -module \"*\" -var \"").append(variable).append("\"\n");
        }
        return Files.writeString(work.resolve("split.vlt"), configuration);
    }

    private static String withoutHere(String output) {
        return output.replace(Path.of("").toAbsolutePath() + "/", "");
    }

    private RtlException refused(Outcome outcome) {
        List<CompilerMessage> errors =
                CompilerMessage.in(withoutHere(outcome.output())).stream()
                        .filter(CompilerMessage::error)
                        .toList();
        StringBuilder text = new StringBuilder("Verilator cannot compile ").append(design.top());
        if (errors.isEmpty()) {
            text.append(" (status ").append(outcome.status()).append("): ");
            return new RtlException(Reason.COMPILE, text + outcome.output().strip());
        }
        errors.stream().limit(MESSAGES_SHOWN).forEach(error -> text.append("\n  ").append(error));
        if (errors.size() > MESSAGES_SHOWN) {
            text.append("\n  and ").append(errors.size() - MESSAGES_SHOWN).append(" more");
        }
        hint(outcome.output()).ifPresent(hint -> text.append('\n').append(hint));
        return new RtlException(Reason.COMPILE, text.toString());
    }

    private Optional<String> hint(String output) {
        if (output.contains("afu_json_info.vh") && design.json().isEmpty()) {
            return Optional.of(
                    "afu_json_info.vh is made from the JSON file that describes the AFU: name it"
                            + " among the files.");
        }
        if (InterfaceMembers.isIn(output)) {
            return Optional.of(
                    "Verilator takes no $bits of a member of an interface there: name its type, in"
                            + " the source or by a line in a list of patches.");
        }
        if (output.contains("--top-module") && output.contains("was not found")) {
            return Optional.of(
                    "Name the module with the CCI-P port as the top module; by default it is "
                            + RtlDesign.STANDARD_TOP
                            + ".");
        }
        return Optional.empty();
    }
}
