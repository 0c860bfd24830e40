package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import dev.outboard.ccip.rtl.Toolchain.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// One design on its way from SystemVerilog through C++ to a shared library, in a directory of its
/// own.
final class Verilation {
    private static final String PACKAGE = "ccip_if_pkg.sv";

    /// What this package supplies to every design.
    static final List<String> SUPPLIED =
            List.of(
                    PACKAGE,
                    "ccip_cfg_pkg.sv",
                    "platform_if.vh",
                    "shim.cpp",
                    "print.h",
                    "primitives/altsyncram.v",
                    "primitives/dcfifo.v",
                    "primitives/scfifo.v");

    /// Registers and memories start at random, from a seed given at run time: what a design does
    /// before it has set them shows as a difference between seeds.
    static final List<String> VERILATOR_OPTIONS =
            List.of(
                    "--cc",
                    "--prefix",
                    "Vafu",
                    "-O3",
                    "--x-assign",
                    "unique",
                    "--x-initial",
                    "unique",
                    "--no-timing",
                    "-Wno-fatal",
                    "-Wwarn-UNDRIVEN",
                    "-Wno-SPLITVAR");

    /// The design ends its own model and not the JVM: see `shim.cpp`.
    static final List<String> COMPILER_OPTIONS =
            List.of(
                    "-O3",
                    "-std=gnu++17",
                    "-fPIC",
                    "-fvisibility=hidden",
                    "-pthread",
                    "-DVL_USER_FINISH",
                    "-DVL_USER_STOP",
                    "-DVL_USER_FATAL",
                    "-DVL_PRINTF=outboard_print",
                    "-include",
                    "print.h");

    /// A structure some of whose members are registers while others are wires: correct, and usual
    /// in designs for CCI-P, but Verilator takes the structure for one variable.
    private static final Pattern MIXED =
            Pattern.compile("%Error-BLKANDNBLK: .*to same variable: '(?:[^']*\\.)?(\\w+)'");

    private static final int MESSAGES_SHOWN = 10;

    private final Toolchain tools;
    private final RtlDesign design;
    private final Path work;
    private final Path supplied;
    private final Path objects;

    private final UnsizedNumbers numbers = new UnsizedNumbers();

    /// The file that a patched copy was made of.
    private final Map<String, Path> originals = new HashMap<>();

    Verilation(Toolchain tools, RtlDesign design, Path work) {
        this.tools = tools;
        this.design = design;
        this.work = work;
        supplied = work.resolve("supplied");
        objects = work.resolve("objects");
    }

    /// Makes C++ of the design and looks at its port.
    ///
    /// @return what Verilator printed
    String verilate(Optional<AfuJson> json) throws IOException {
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
        List<String> command = command(generated, sources());
        Outcome outcome = Toolchain.run(command, work);
        while (outcome.status() != 0 && numbers.learn(outcome.output())) {
            command = command(generated, sources());
            outcome = Toolchain.run(command, work);
        }
        Set<String> mixed = mixed(outcome.output());
        if (outcome.status() != 0 && !mixed.isEmpty()) {
            command.add(1, "-Wno-BLKANDNBLK");
            command.add(splitting(mixed).toString());
            outcome = Toolchain.run(command, work);
        }
        if (outcome.status() != 0) {
            throw refused(outcome);
        }
        Port.check(design.top(), Files.readString(objects.resolve("Vafu.h")));
        return withOriginals(outcome.output());
    }

    static InputStream resource(String name) {
        InputStream resource = Verilation.class.getResourceAsStream(name);
        if (resource == null) {
            throw new IllegalStateException("no resource " + name);
        }
        return resource;
    }

    private List<String> command(Path generated, List<Path> sources) {
        List<String> command = new ArrayList<>();
        command.add(tools.verilator().toString());
        command.addAll(VERILATOR_OPTIONS);
        command.addAll(List.of("--top-module", design.top(), "--Mdir", objects.toString()));
        command.add("-I" + generated);
        for (Path directory : directories(design)) {
            command.add("-I" + directory);
            command.addAll(List.of("-y", directory.toString()));
        }
        command.add("-I" + supplied);
        command.addAll(List.of("-y", supplied.resolve("primitives").toString()));
        design.macros().forEach(macro -> command.add("-D" + macro));
        if (sources.stream().noneMatch(file -> file.endsWith(PACKAGE))) {
            command.add(supplied.resolve(PACKAGE).toString());
        }
        command.add(supplied.resolve("ccip_cfg_pkg.sv").toString());
        sources.forEach(file -> command.add(file.toString()));
        return command;
    }

    /// Where a design's included files and modules are: beside its sources, and where it says.
    static Set<Path> directories(RtlDesign design) {
        Set<Path> directories = new LinkedHashSet<>();
        design.sources().forEach(file -> directories.add(file.toAbsolutePath().getParent()));
        design.includes().forEach(directory -> directories.add(directory.toAbsolutePath()));
        return directories;
    }

    /// The sources, in place of those that the compiler is to see otherwise their copies.
    private List<Path> sources() throws IOException {
        List<Patch> patches = design.patches().map(Patch::read).orElse(List.of());
        List<Path> sources = new ArrayList<>();
        for (Path source : design.sources()) {
            String name = source.getFileName().toString();
            String original = RtlDesign.read(source);
            String text = original;
            for (Patch patch : patches) {
                text = patch.file().equals(name) ? patch.applyTo(source, text) : text;
            }
            text = numbers.sizedIn(text);
            if (text.equals(original)) {
                sources.add(source.toAbsolutePath());
            } else {
                Path copy = Files.createTempDirectory(work, "patched-").resolve(name);
                originals.put(Files.writeString(copy, text).toString(), source);
                sources.add(copy);
            }
        }
        return sources;
    }

    private static Set<String> mixed(String output) {
        Set<String> names = new LinkedHashSet<>();
        Matcher found = MIXED.matcher(output);
        while (found.find()) {
            names.add(found.group(1));
        }
        return names;
    }

    private Path splitting(Set<String> variables) throws IOException {
        StringBuilder configuration = new StringBuilder("`verilator_config\n");
        for (String variable : variables) {
            configuration.append("split_var -module \"*\" -var \"").append(variable).append("\"\n");
        }
        return Files.writeString(work.resolve("split.vlt"), configuration);
    }

    private String withOriginals(String output) {
        String text = output;
        for (Map.Entry<String, Path> copy : originals.entrySet()) {
            text = text.replace(copy.getKey(), copy.getValue().toString());
        }
        String here = Path.of("").toAbsolutePath() + "/";
        return text.replace(here, "");
    }

    private RtlException refused(Outcome outcome) {
        List<CompilerMessage> errors =
                CompilerMessage.in(withOriginals(outcome.output())).stream()
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
        if (output.contains("--top-module") && output.contains("was not found")) {
            return Optional.of(
                    "Name the module with the CCI-P port as the top module; by default it is "
                            + RtlDesign.STANDARD_TOP
                            + ".");
        }
        return Optional.empty();
    }

    /// Compiles the C++ of the design together with the shim. Verilator's own library is compiled
    /// once for all designs and kept in `cache`.
    void link(Path cache, Path library) throws IOException {
        Path runtime = runtime(cache);
        StringBuilder all = new StringBuilder();
        boolean userClocks = false;
        try (Stream<Path> files = Files.list(objects)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".cpp")).sorted().toList()) {
                all.append("#include \"").append(file.getFileName()).append("\"\n");
                userClocks |= usesUserClock(file);
            }
        }
        all.append("#include \"shim.cpp\"\n");
        Path source = Files.writeString(objects.resolve("all.cpp"), all);
        compileCpp(
                List.of(
                        "-DOUTBOARD_USER_CLOCKS=" + (userClocks ? 1 : 0),
                        "-I" + objects,
                        "-shared",
                        "-Wl,-z,defs",
                        "-o",
                        library.toString(),
                        source.toString(),
                        runtime.toString()));
    }

    /// Whether C++ that Verilator made does something with a user clock, besides giving it a first
    /// value and checking its width.
    private static boolean usesUserClock(Path file) {
        try {
            return Files.readString(file)
                    .lines()
                    .anyMatch(line ->
                            line.contains("uClk_usr")
                                    && !line.contains("VL_RAND_RESET")
                                    && !line.contains("0xfeU")
                                    && !line.contains("overWidthError")
                                    && !file.getFileName().toString().equals("Vafu.cpp"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path runtime(Path cache) throws IOException {
        Path runtime = cache.resolve("runtime-" + Fingerprint.of(tools) + ".o");
        if (Files.exists(runtime)) {
            return runtime;
        }
        Path source =
                Files.writeString(
                        work.resolve("runtime.cpp"),
                        "#include \"verilated.cpp\"\n#include \"verilated_threads.cpp\"\n");
        Path object = work.resolve("runtime.o");
        compileCpp(List.of("-c", "-o", object.toString(), source.toString()));
        return Files.move(object, runtime, StandardCopyOption.ATOMIC_MOVE);
    }

    private void compileCpp(List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(tools.compiler().toString());
        command.addAll(COMPILER_OPTIONS);
        command.add("-I" + supplied);
        command.add("-I" + tools.include());
        command.add("-I" + tools.include().resolve("vltstd"));
        command.addAll(arguments);
        Outcome outcome = Toolchain.run(command, work);
        if (outcome.status() != 0) {
            throw new RtlException(
                    Reason.TOOL,
                    tools.compiler()
                            + " cannot compile what Verilator made of "
                            + design.top()
                            + ":\n"
                            + outcome.output()
                                    .lines()
                                    .filter(line -> line.contains("error"))
                                    .limit(MESSAGES_SHOWN)
                                    .reduce("", (text, line) -> text + "  " + line + "\n"));
        }
    }
}
