package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import dev.outboard.ccip.rtl.Toolchain.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// From the C++ of a design to a shared library. A small design is one unit, compiled for speed; a
/// large one is cut into units that are compiled side by side, the less optimised the larger it is,
/// and whose objects are kept: what did not change is not compiled again, nor what was done when a
/// build was broken off.
final class Linking {
    /// The design ends its own model and not the JVM: see `shim.cpp`.
    static final List<String> COMPILER_OPTIONS =
            List.of(
                    "-std=gnu++17",
                    "-fPIC",
                    "-fvisibility=hidden",
                    "-pthread",
                    "-DVL_USER_FINISH",
                    "-DVL_USER_STOP",
                    "-DVL_USER_STOP_MAYBE",
                    "-DVL_USER_FATAL",
                    "-DVL_PRINTF=outboard_print",
                    "-include",
                    "print.h");

    /// Up to this size a design is one unit at `-O3`; from the second on it is compiled at `-O0`. A
    /// generated design of 1.9 MB took g++ 12 as one unit 11 s of processor time at `-O3`, 5 s at
    /// `-O1` and 3 s at `-O0`.
    private static final long SMALL_BYTES = 1_000_000;

    private static final long LARGE_BYTES = 8_000_000;
    private static final long UNIT_BYTES = 500_000;

    /// Objects that no build has used for so long are deleted.
    private static final Duration KEPT = Duration.ofDays(14);

    private static final int MESSAGES_SHOWN = 10;

    private final Toolchain tools;
    private final RtlDesign design;
    private final Path work;
    private final Path supplied;
    private final Path generated;
    private final Path cache;
    private final Consumer<String> progress;

    /// @param cache where objects are kept
    /// @param progress is told what is being done
    Linking(
            Toolchain tools,
            RtlDesign design,
            Path work,
            Verilation verilation,
            Path cache,
            Consumer<String> progress) {
        this.tools = tools;
        this.design = design;
        this.work = work;
        supplied = verilation.supplied();
        generated = verilation.objects();
        this.cache = cache;
        this.progress = progress;
    }

    /// Compiles the C++ of the design together with the shim. Verilator's own library is compiled
    /// once for all designs.
    void link(Path library) throws IOException {
        List<Path> files = files(".cpp");
        long bytes = 0;
        boolean userClocks = false;
        for (Path file : files) {
            bytes += Files.size(file);
            userClocks |= usesUserClock(file);
        }
        List<String> options = new ArrayList<>();
        options.add(optimisation(bytes));
        options.add("-I" + generated);
        options.add("-DOUTBOARD_USER_CLOCKS=" + (userClocks ? 1 : 0));
        options.add("-DVM_TRACE=" + (design.hasSignals() ? 1 : 0));
        List<List<Path>> units = units(files, bytes <= SMALL_BYTES ? bytes : UNIT_BYTES);
        progress.accept(
                "compiling %,d KB of C++ at %s%s"
                        .formatted(
                                bytes / 1000,
                                options.getFirst(),
                                units.size() == 1 ? "" : " in " + units.size() + " units"));
        List<Path> objects = objects(units, options);
        List<String> link = new ArrayList<>(List.of("-shared", "-Wl,-z,defs", "-o"));
        link.add(library.toString());
        objects.forEach(object -> link.add(object.toString()));
        link.add(library("runtime", List.of("verilated.cpp", "verilated_threads.cpp")));
        if (design.hasSignals()) {
            link.add(library("trace", List.of("verilated_vcd_c.cpp")));
        }
        compile(link);
    }

    static String optimisation(long bytes) {
        return bytes <= SMALL_BYTES ? "-O3" : bytes <= LARGE_BYTES ? "-O1" : "-O0";
    }

    private List<Path> files(String extension) throws IOException {
        try (Stream<Path> files = Files.list(generated)) {
            return files.filter(path -> path.toString().endsWith(extension)).sorted().toList();
        }
    }

    /// The files in portions of about a size, the shim with the last.
    private List<List<Path>> units(List<Path> files, long bytes) throws IOException {
        List<List<Path>> units = new ArrayList<>();
        List<Path> unit = new ArrayList<>();
        long size = 0;
        for (Path file : files) {
            unit.add(file);
            size += Files.size(file);
            if (size >= bytes) {
                units.add(unit);
                unit = new ArrayList<>();
                size = 0;
            }
        }
        if (!unit.isEmpty()) {
            units.add(unit);
        }
        units.getLast().add(supplied.resolve("shim.cpp"));
        return units;
    }

    private List<Path> objects(List<List<Path>> units, List<String> options) throws IOException {
        String headers = Fingerprint.of(tools, options, files(".h"));
        List<Future<Path>> running = new ArrayList<>();
        List<Path> objects = new ArrayList<>();
        int processors = Math.min(units.size(), Runtime.getRuntime().availableProcessors());
        try (ExecutorService workers = Executors.newFixedThreadPool(processors)) {
            for (List<Path> unit : units) {
                running.add(workers.submit(() -> object(unit, options, headers)));
            }
            try {
                for (Future<Path> unit : running) {
                    objects.add(unit.get());
                    if (units.size() > 1) {
                        progress.accept("compiled " + objects.size() + " of " + units.size());
                    }
                }
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RtlException known
                        ? known
                        : new RtlException(
                                Reason.TOOL, "cannot compile in " + work + ": " + e.getCause(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RtlException(Reason.TOOL, "the build was interrupted", e);
            } finally {
                workers.shutdownNow();
            }
        }
        return objects;
    }

    /// The object of a unit: one from before, or one made now, which the next build finds.
    ///
    /// CCIP-RTL-17: an object is kept by all that went into it.
    private Path object(List<Path> unit, List<String> options, String headers) throws IOException {
        String key = Fingerprint.of(tools, List.of(headers), unit);
        Path kept = Files.createDirectories(cache.resolve("objects")).resolve(key + ".o");
        if (Files.exists(kept)) {
            Files.setLastModifiedTime(kept, FileTime.from(Instant.now()));
            return kept;
        }
        StringBuilder all = new StringBuilder();
        unit.forEach(file -> all.append("#include \"").append(file.getFileName()).append("\"\n"));
        Path source = Files.writeString(work.resolve(key + ".cpp"), all);
        Path object = work.resolve(key + ".o");
        List<String> arguments = new ArrayList<>(options);
        arguments.addAll(List.of("-c", "-o", object.toString(), source.toString()));
        compile(arguments);
        return Files.move(object, kept, StandardCopyOption.ATOMIC_MOVE);
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

    /// A part of Verilator's library.
    private String library(String part, List<String> files) throws IOException {
        Path kept = cache.resolve(part + "-" + Fingerprint.of(tools) + ".o");
        if (!Files.exists(kept)) {
            StringBuilder all = new StringBuilder();
            files.forEach(file -> all.append("#include \"").append(file).append("\"\n"));
            Path source = Files.writeString(work.resolve(part + ".cpp"), all);
            Path object = work.resolve(part + ".o");
            compile(List.of("-O3", "-c", "-o", object.toString(), source.toString()));
            Files.move(object, kept, StandardCopyOption.ATOMIC_MOVE);
        }
        return kept.toString();
    }

    /// Deletes objects of designs that nobody builds any more.
    static void prune(Path cache) throws IOException {
        Path objects = cache.resolve("objects");
        if (Files.isDirectory(objects)) {
            Instant oldest = Instant.now().minus(KEPT);
            try (Stream<Path> kept = Files.list(objects)) {
                for (Path object : kept.toList()) {
                    if (Files.getLastModifiedTime(object).toInstant().isBefore(oldest)) {
                        Files.deleteIfExists(object);
                    }
                }
            }
        }
    }

    private void compile(List<String> arguments) {
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
