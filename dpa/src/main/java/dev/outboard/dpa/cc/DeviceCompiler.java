package dev.outboard.dpa.cc;

import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.elf.ElfException;
import dev.outboard.dpa.machine.CodePlace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Compiles C for the DPA and links it to one executable, with the clang and the ld.lld of this
/// machine.
///
/// ```java
/// byte[] elf = DeviceCompiler.onThisMachine().compile(DeviceSources.of(Path.of("kernel.c")));
/// ```
public final class DeviceCompiler {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String PACKAGE =
            "on Debian and Ubuntu: apt-get install clang lld. Kernels in Java need neither";

    /// DPA-HW-6: the instruction set of device code, and its calling convention.
    private static final List<String> TARGET =
            List.of(
                    "--target=riscv64",
                    "-march=rv64imac",
                    "-mabi=lp64",
                    "-mcmodel=medany",
                    "-mno-relax",
                    "-ffreestanding",
                    "-nostdlib",
                    "-nostdlibinc",
                    "-fno-pic",
                    "-g");

    private static final Map<Path, Map<String, byte[]>> RUNTIMES = new ConcurrentHashMap<>();
    private static final String SCRIPT = "program.ld";
    private static final String OUTPUT = "output.txt";

    /// What stands for the directory of our headers and sources in what is told of a program.
    static final String OWN = "<dpacc>";

    private final Path clang;
    private final Path linker;

    private DeviceCompiler(Path clang, Path linker) {
        this.clang = clang;
        this.linker = linker;
    }

    /// That of this machine.
    ///
    /// @throws CompileException if it has none, saying what to install
    public static DeviceCompiler onThisMachine() {
        return new DeviceCompiler(
                find("clang").orElseThrow(() -> missing("clang")),
                find("ld.lld").orElseThrow(() -> missing("ld.lld")));
    }

    private static CompileException missing(String tool) {
        return new CompileException(
                "'%s' is not on the PATH, which C kernels are built with; %s"
                        .formatted(tool, PACKAGE));
    }

    private static Optional<Path> find(String tool) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of(path.split(":"))
                .map(directory -> Path.of(directory, tool))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /// The first line of what clang says of its version.
    ///
    /// @throws CompileException if it does not run
    public String version() {
        try {
            Path work = Files.createTempDirectory("outboard-dpacc-");
            try {
                run(List.of(clang.toString(), "--version"), DeviceBuild.QUIET, work);
                return Files.readAllLines(work.resolve(OUTPUT)).getFirst();
            } finally {
                delete(work);
            }
        } catch (IOException e) {
            throw new CompileException("clang does not tell its version: " + e.getMessage(), e);
        }
    }

    /// Compiles and links.
    ///
    /// @return the executable: an ELF file
    /// @throws CompileException if compiler or linker refuse the sources
    public byte[] compile(DeviceSources sources) {
        return build(sources, DeviceBuild.QUIET).orElseThrow();
    }

    /// Compiles and links what is in memory.
    ///
    /// @param files by their names: sources, `.c`, and the headers that they include
    /// @return the executable: an ELF file
    /// @throws CompileException if compiler or linker refuse the sources
    public byte[] compile(Map<String, byte[]> files) {
        try {
            Path directory = Files.createTempDirectory("outboard-dpacc-");
            try {
                List<Path> sources = new ArrayList<>();
                for (Map.Entry<String, byte[]> file : files.entrySet()) {
                    Path written = Files.write(directory.resolve(file.getKey()), file.getValue());
                    if (file.getKey().endsWith(".c")) {
                        sources.add(written);
                    }
                }
                return compile(new DeviceSources(sources, List.of(), List.of()));
            } finally {
                delete(directory);
            }
        } catch (IOException e) {
            throw new CompileException("A device program cannot be built: " + e.getMessage(), e);
        }
    }

    /// Compiles and links.
    ///
    /// @return the executable: an ELF file; empty if the build is dry
    /// @throws CompileException if compiler or linker refuse the sources
    public Optional<byte[]> build(DeviceSources sources, DeviceBuild how) {
        try {
            if (how.keep().isPresent()) {
                return build(sources, how, Files.createDirectories(how.keep().get()));
            }
            Path work = Files.createTempDirectory("outboard-dpacc-");
            try {
                return build(sources, how, work);
            } finally {
                delete(work);
            }
        } catch (IOException e) {
            throw new CompileException("A device program cannot be built: " + e.getMessage(), e);
        }
    }

    private Optional<byte[]> build(DeviceSources sources, DeviceBuild how, Path work)
            throws IOException {
        Path include = work.resolve("include");
        for (String header : DeviceRuntime.HEADERS) {
            extract("include/" + header, include.resolve(header));
        }
        List<Path> objects = new ArrayList<>();
        for (Path source : sources.files()) {
            if (!source.toString().endsWith(".c")) {
                objects.add(source);
                continue;
            }
            List<String> options = new ArrayList<>(List.of("-O2"));
            sources.includes().forEach(directory -> options.add("-I" + directory));
            options.addAll(sources.options());
            objects.add(compile(source, options, object(source, work), how, work));
        }
        Path program = work.resolve("program.elf");
        link(objects, sources.libraries(), program, how, work);
        return how.isDry() ? Optional.empty() : Optional.of(Files.readAllBytes(program));
    }

    /// The objects of the runtime, which a compiler makes once.
    private List<Path> runtime(DeviceBuild how, Path work) throws IOException {
        Map<String, byte[]> made = RUNTIMES.computeIfAbsent(clang, _ -> new ConcurrentHashMap<>());
        List<Path> objects = new ArrayList<>();
        for (String name : DeviceRuntime.SOURCES) {
            Path source = extract("runtime/" + name, work.resolve("runtime/" + name));
            Path object = source.resolveSibling(name + ".o");
            byte[] known = made.get(name);
            if (known == null) {
                compile(source, List.of("-O2", "-fno-builtin"), object, how, work);
                if (!how.isDry()) {
                    made.put(name, Files.readAllBytes(object));
                }
            } else {
                Files.write(object, known);
            }
            objects.add(object);
        }
        return objects;
    }

    /// Of the runtime it takes what the others need, and its first object.
    private void link(
            List<Path> objects, List<String> libraries, Path program, DeviceBuild how, Path work)
            throws IOException {
        Path script = extract(SCRIPT, work.resolve(SCRIPT));
        List<Path> runtime = runtime(how, work);
        List<String> command = new ArrayList<>(List.of(linker.toString()));
        command.addAll(List.of("-T", script.toString(), "-e", "0", "--error-limit=0"));
        command.addAll(List.of("-o", program.toString()));
        objects.forEach(object -> command.add(object.toString()));
        command.addAll(libraries);
        command.addAll(List.of(runtime.getFirst().toString(), "--start-lib"));
        runtime.stream().skip(1).forEach(object -> command.add(object.toString()));
        command.add("--end-lib");
        try {
            run(command, how, work);
        } catch (CompileException e) {
            String said = Objects.toString(e.getMessage(), "");
            throw new CompileException(
                    LinkErrors.explain(said, uses(said, command, program, work)), e);
        }
    }

    /// Where the program uses what the linker has not found, if that is all that is wrong with it.
    private static Map<String, List<CodePlace>> uses(
            String said, List<String> command, Path program, Path work) throws IOException {
        List<String> missing = LinkErrors.missing(said);
        List<String> again = new ArrayList<>(command);
        again.addAll(MissingSymbols.options(missing));
        try {
            run(again, DeviceBuild.QUIET, work);
            return MissingSymbols.uses(DeviceElf.parse(Files.readAllBytes(program)), missing);
        } catch (CompileException | ElfException _) {
            return Map.of();
        }
    }

    private static Path object(Path source, Path work) {
        String name = source.getFileName().toString().replaceFirst("\\.c$", "");
        Path object = work.resolve(name + ".o");
        for (int i = 2; Files.exists(object); i++) {
            object = work.resolve(name + i + ".o");
        }
        return object;
    }

    private Path compile(Path source, List<String> options, Path object, DeviceBuild how, Path work)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(clang.toString()));
        command.addAll(TARGET);
        command.addAll(DeviceRuntime.MACROS);
        command.addAll(options);
        // What stands in the program of where it was built does not differ from time to time.
        command.add("-ffile-prefix-map=%s=%s".formatted(work, OWN));
        command.addAll(List.of("-I" + work.resolve("include"), "-c", source.toString()));
        command.addAll(List.of("-o", object.toString()));
        run(command, how, work);
        return object;
    }

    private static void run(List<String> command, DeviceBuild how, Path work) throws IOException {
        how.commands().accept(String.join(" ", command));
        if (how.isDry()) {
            return;
        }
        Path output = work.resolve(OUTPUT);
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new CompileException(
                        "%s has not ended within %s".formatted(command.getFirst(), LIMIT));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompileException(command.getFirst() + " was interrupted", e);
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new CompileException(Files.readString(output).strip());
        }
        String said = Files.readString(output).strip();
        if (!said.isEmpty()) {
            how.warnings().accept(said);
        }
    }

    private static Path extract(String resource, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        try (InputStream in = DeviceCompiler.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("resource %s is missing".formatted(resource));
            }
            Files.copy(in, to, StandardCopyOption.REPLACE_EXISTING);
        }
        return to;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
