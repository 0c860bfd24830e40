package dev.outboard.console.dpa;

import static java.util.stream.Collectors.joining;

import dev.outboard.console.dpa.CoreFile.Crash;
import dev.outboard.console.dpa.CoreFile.Region;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.terminal.JsonFile;
import dev.outboard.terminal.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard dpa core`: prints a core file.
@Command(
        name = "core",
        description = {
            "Print what a core file tells of a process of a DPA: what ended it and where, what its"
                    + " threads did, and its memory.",
            "A host program writes one with FlexioProcess.coreDump."
        },
        footer = {
            "",
            "Examples:",
            "  outboard dpa core core.json",
            "  outboard dpa core --memory 0x100000000,256 core.json",
            "",
            "Ends with 2 if the file cannot be understood, or has no memory at an address."
        })
final class CoreCommand implements Callable<Integer> {
    private static final int BYTES_IN_LINE = 16;
    private static final HexFormat SPACED = HexFormat.ofDelimiter(" ");

    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The core file.")
    private Path file = Path.of("");

    @Option(
            names = "--memory",
            paramLabel = "ADDRESS[,LENGTH]",
            converter = MemoryRange.Converter.class,
            description =
                    "Print the bytes from that address on, too: "
                            + MemoryRange.DEFAULT_BYTES
                            + " if no length is given, and none beyond the end of globals, heap or"
                            + " stack. Can be given several times.")
    private List<MemoryRange> ranges = new ArrayList<>();

    @Override
    public Integer call() {
        CoreFile core = read();
        ranges.forEach(range -> region(core, range));
        PrintWriter out = spec.commandLine().getOut();
        printEnd(core, out);
        printThreads(core, out);
        printRegions(core, out);
        for (MemoryRange range : ranges) {
            byte[] bytes = region(core, range).read(range.address(), range.lengthBytes());
            dump(bytes, range.address(), out);
        }
        out.flush();
        return ExitCode.OK;
    }

    private static void printThreads(CoreFile core, PrintWriter out) {
        out.println();
        out.println("Threads:");
        Table threads = new Table("ll");
        core.threads()
                .forEach(thread ->
                        threads.row(
                                thread.name(),
                                thread.unit() < 0
                                        ? thread.state()
                                        : thread.state() + " on unit " + thread.unit()));
        threads.print(out, "  ");
    }

    private static void printRegions(CoreFile core, PrintWriter out) {
        out.println();
        out.println("Memory:");
        Table memory = new Table("lrrl");
        core.memory()
                .forEach(region ->
                        memory.row(
                                region.name(),
                                region.address(),
                                region.lengthBytes() + " bytes",
                                "pages not zero: " + region.pages().size()));
        memory.print(out, "  ");
    }

    private CoreFile read() {
        try {
            return JsonFile.read(file, CoreFile.class);
        } catch (IllegalArgumentException e) {
            throw usage("%s is no core file: %s".formatted(file, e.getMessage()), e);
        } catch (NoSuchFileException e) {
            throw usage("no such file: " + file, e);
        } catch (AccessDeniedException e) {
            throw usage("permission denied: " + file, e);
        } catch (IOException e) {
            throw usage("%s cannot be read: %s".formatted(file, e.getMessage()), e);
        }
    }

    private Region region(CoreFile core, MemoryRange range) {
        Optional<Region> region = core.region(range.address());
        if (region.isPresent()) {
            return region.get();
        }
        String regions = core.memory().stream().map(CoreCommand::name).collect(joining(", "));
        throw usage(
                "the process has no memory at 0x%x; it has %s".formatted(range.address(), regions),
                null);
    }

    private static String name(Region region) {
        return "%s (%d bytes at %s)"
                .formatted(region.name(), region.lengthBytes(), region.address());
    }

    private static void printEnd(CoreFile core, PrintWriter out) {
        out.println(
                "Process of app %s, %s%s, seed %d"
                        .formatted(
                                core.program(),
                                core.mode(),
                                core.profile() == null ? "" : " by " + core.profile(),
                                core.seed()));
        out.println("%s, status %d".formatted(core.status().kind(), core.status().code()));
        Crash crash = core.crash();
        if (crash == null) {
            core.status().text().lines().forEach(out::println);
            return;
        }
        CrashReport report = crash.report();
        report.summary().lines().forEach(out::println);
        out.println("  latest operations, the oldest first:");
        report.latest().forEach(operation -> out.println("    " + operation));
    }

    private static void dump(byte[] bytes, long address, PrintWriter out) {
        out.println();
        for (int from = 0; from < bytes.length; from += BYTES_IN_LINE) {
            int to = Math.min(bytes.length, from + BYTES_IN_LINE);
            String text = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
            out.println(
                    "0x%x  %-47s  %s"
                            .formatted(
                                    address + from,
                                    SPACED.formatHex(bytes, from, to),
                                    text.replaceAll("[^ -~]", ".")));
        }
    }

    private ParameterException usage(String problem, @Nullable Throwable cause) {
        return new ParameterException(spec.commandLine(), problem, cause);
    }
}
