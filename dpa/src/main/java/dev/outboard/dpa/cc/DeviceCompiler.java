package dev.outboard.dpa.cc;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
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
    ///
    /// DPA-CC-14: the macros that are predefined.
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
                    "-g",
                    "-D__DPA__=1",
                    "-D__DPA_MAJOR__=1",
                    "-D__DPA_MINOR__=0",
                    "-D__DPA_PATCH__=0",
                    "-D__NV_DPA_CX7=7",
                    "-D__NV_DPA_BF3=3",
                    "-D__NV_DPA_CX8=8",
                    "-D__NV_DPA=__NV_DPA_BF3");

    private static final List<String> HEADERS =
            List.of(
                    "dpaintrin.h",
                    "outboard_ecall.h",
                    "string.h",
                    "libflexio-dev/flexio_dev.h",
                    "libflexio-libc/string.h");

    private static final List<String> RUNTIME = List.of("abi.c", "string.c");
    private static final String SCRIPT = "program.ld";
    private static final String OUTPUT = "output.txt";

    /// What stands for the directory of our headers and sources in what is told of a program.
    static final String OWN = "<dpacc>/";

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
        for (String header : HEADERS) {
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
            objects.add(compile(source, options, how, work));
        }
        for (String name : RUNTIME) {
            Path source = extract("runtime/" + name, work.resolve(name));
            List<String> options = List.of("-O2", "-fno-builtin");
            objects.add(compile(source, options, how, work));
        }
        Path program = work.resolve("program.elf");
        Path script = extract(SCRIPT, work.resolve(SCRIPT));
        List<String> command = new ArrayList<>(List.of(linker.toString()));
        command.addAll(List.of("-T", script.toString(), "-e", "0", "-o", program.toString()));
        objects.forEach(object -> command.add(object.toString()));
        command.addAll(sources.libraries());
        run(command, how, work);
        return how.isDry() ? Optional.empty() : Optional.of(Files.readAllBytes(program));
    }

    private Path compile(Path source, List<String> options, DeviceBuild how, Path work)
            throws IOException {
        Path include = work.resolve("include");
        String name = source.getFileName().toString().replaceFirst("\\.c$", "");
        Path object = work.resolve(name + ".o");
        for (int i = 2; Files.exists(object); i++) {
            object = work.resolve(name + i + ".o");
        }
        List<String> command = new ArrayList<>(List.of(clang.toString()));
        command.addAll(TARGET);
        command.addAll(options);
        command.add("-fdebug-prefix-map=" + work + "/=" + OWN);
        command.addAll(List.of("-I" + include, "-c", source.toString(), "-o", object.toString()));
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
