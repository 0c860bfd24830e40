package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// Compiles designs in SystemVerilog with Verilator and a C++ compiler. The design supplies its
/// files as they are; the package `ccip_if_pkg`, stand-ins for `platform_if.vh` and
/// `afu_json_info.vh`, models of vendor primitives, the registers of
/// [dev.outboard.ccip.afu.CallRegisters] as module `call_registers` and the native side of the port
/// come from here.
///
/// What was compiled stays in a directory, under a name made of all that went into it: the same
/// design is compiled once per machine. Any thread may use a build; several processes may use the
/// same directory.
public final class RtlBuild {
    /// The frequency of uClk_usr if the AFU's JSON file names none.
    private static final double USER_CLOCK_MEGAHERTZ = 312.5;

    private static final String LIBRARY = "afu.so";
    private static final String LOG = "verilator.log";

    private final Toolchain tools;
    private final Path cache;
    private final Consumer<String> progress;

    private RtlBuild(Toolchain tools, Path cache, Consumer<String> progress) {
        this.tools = tools;
        this.cache = cache;
        this.progress = progress;
    }

    /// Builds with the tools of this machine into the user's cache directory,
    /// `$XDG_CACHE_HOME/outboard/rtl` or `~/.cache/outboard/rtl`.
    ///
    /// @throws RtlException if Verilator or a C++ compiler is missing or too old
    public static RtlBuild onThisMachine() {
        String configured = System.getenv("XDG_CACHE_HOME");
        Path caches =
                configured == null || configured.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".cache")
                        : Path.of(configured);
        return with(System.getenv(), caches.resolve("outboard/rtl"));
    }

    /// Builds with the tools that an environment names (`PATH`, `VERILATOR`, `CXX`) into a
    /// directory.
    ///
    /// @throws RtlException if Verilator or a C++ compiler is missing or too old
    public static RtlBuild with(Map<String, String> environment, Path cache) {
        return new RtlBuild(Toolchain.find(environment), cache.toAbsolutePath(), step -> {});
    }

    /// This build, saying in a line what it does now; nothing for a design that is there already.
    public RtlBuild reporting(Consumer<String> progress) {
        return new RtlBuild(tools, cache, progress);
    }

    /// The compiled form of a design, made now unless this directory has it already.
    ///
    /// @throws RtlException if a file cannot be read, a compiler refuses the design, or its port is
    ///   not that of CCI-P; the message has the file and the line
    public VerilatedDesign compile(RtlDesign design) {
        Optional<AfuJson> json = design.json().map(AfuJson::read);
        try {
            Files.createDirectories(cache);
            Path compiled = cache.resolve(Fingerprint.of(design, tools));
            if (!Files.exists(compiled.resolve(LIBRARY))) {
                make(design, json, compiled);
            }
            return new VerilatedDesign(
                    design.top(),
                    compiled.resolve(LIBRARY),
                    CompilerMessage.in(Files.readString(compiled.resolve(LOG))),
                    json.map(afu -> afu.accelerators().getFirst().id()),
                    json.flatMap(AfuJson::userClockMegahertz).orElse(USER_CLOCK_MEGAHERTZ),
                    json.flatMap(AfuJson::userClockDiv2Megahertz));
        } catch (IOException e) {
            throw new RtlException(
                    Reason.INPUT, "cannot build in " + cache + ": " + e.getMessage(), e);
        }
    }

    /// The design of files that are resources beside a class, as [RtlDesign#of(Path...)] takes
    /// them. They are written into the directory of this build, the same ones to the same place.
    ///
    /// @param owner of this module, or of one that opens its package
    /// @throws RtlException if they cannot be written
    public RtlDesign resources(Class<?> owner, List<String> names) {
        try {
            Map<String, byte[]> contents = new LinkedHashMap<>();
            for (String name : names) {
                contents.put(name, content(owner, name));
            }
            Path place = cache.resolve("sources-" + Fingerprint.of(contents));
            Files.createDirectories(place);
            List<Path> files = new ArrayList<>();
            for (Map.Entry<String, byte[]> content : contents.entrySet()) {
                files.add(write(place.resolve(content.getKey()), content.getValue()));
            }
            return RtlDesign.of(files);
        } catch (IOException e) {
            throw new RtlException(
                    Reason.INPUT, "cannot write to " + cache + ": " + e.getMessage(), e);
        }
    }

    private static byte[] content(Class<?> owner, String name) throws IOException {
        try (InputStream resource = owner.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IllegalArgumentException(
                        "resource '%s': there is none beside %s".formatted(name, owner.getName()));
            }
            return resource.readAllBytes();
        }
    }

    /// In one step: another process may be reading it.
    private static Path write(Path file, byte[] content) throws IOException {
        if (!Files.exists(file)) {
            Path made = Files.createTempFile(file.getParent(), "writing-", "");
            Files.write(made, content);
            Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return file;
    }

    /// Builds beside the place where the result is to be, and puts it there in one step: who looks
    /// sees all of it or nothing.
    private void make(RtlDesign design, Optional<AfuJson> json, Path compiled) throws IOException {
        Path work = Files.createTempDirectory(cache, "building-");
        try {
            progress.accept("Verilator reads " + design.top());
            Verilation verilation = new Verilation(tools, design, json, work);
            String log = verilation.verilate();
            Path result = Files.createDirectory(work.resolve("result"));
            Files.writeString(result.resolve(LOG), log);
            new Linking(tools, design, work, verilation, cache, progress)
                    .link(result.resolve(LIBRARY));
            Linking.prune(cache);
            if (Files.exists(compiled) && !Files.exists(compiled.resolve(LIBRARY))) {
                // Somebody has deleted the library, to build it anew.
                delete(compiled);
            }
            Files.move(result, compiled, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            // Somebody else has built the same at the same time.
            if (!Files.exists(compiled.resolve(LIBRARY))) {
                throw e;
            }
        } finally {
            delete(work);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
