package dev.outboard.console.demo;

import dev.outboard.dpa.checker.CheckReport;
import dev.outboard.dpa.checker.Edit;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.ProgramRepair;
import dev.outboard.dpa.checker.Repair;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// `outboard demo --break`: device code without one of its writebacks, what that does to a picture,
/// what the checker says, and what mends it.
final class BrokenDemo {
    private static final ImageSize SIZE = new ImageSize(200, 150);
    private static final Set<String> OWN =
            Set.of("--break", "--fix", "--seed", "--out", "--verbose");
    private static final String SOURCE = EdgeSender.class.getSimpleName() + ".java";

    /// The comment on the writeback.
    private static final String MARK = "so that the NIC finds the edges";

    private static final int NEIGHBOURS = 2;

    // The options are a group, which is there only if this one is given.
    @SuppressWarnings("UnusedVariable")
    @Option(
            names = "--break",
            required = true,
            description = {
                "Instead, leave a writeback out of device code that sends edges row by row, in a"
                        + " simulated data-path accelerator whose memory is weak: the damaged"
                        + " picture is edges-broken.png, and the checker says which line is missing."
            })
    private boolean isBroken;

    @Option(
            names = "--fix",
            description = "Put in what the checker proposes, and run that as well.")
    private boolean fix;

    /// What the weak memory does follows from it.
    private long seed;

    private static final long SEED = 30;

    private final List<String> source = source();

    /// Runs it.
    ///
    /// @param directory where the pictures go
    /// @param given what the weak memory does follows from it; null for a seed that shows something
    int run(CommandSpec spec, Path directory, @Nullable Long given) throws IOException {
        seed = given == null ? SEED : given;
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (!OWN.contains(option.longestName())) {
                throw new ParameterException(
                        spec.commandLine(),
                        "%s is not for --break, which paints a picture of its own"
                                .formatted(option.longestName()));
            }
        }
        Files.createDirectories(directory);
        try (Arena arena = Arena.ofConfined()) {
            return run(arena, directory, spec.commandLine().getOut());
        }
    }

    private int run(Arena arena, Path directory, PrintWriter out) throws IOException {
        MemorySegment gray = gray();
        MemorySegment expected = arena.allocate(SIZE.pixels());
        EdgeDetection.detect(SIZE.width(), SIZE.height(), 1, gray, expected);
        EdgeSending sending =
                new EdgeSending(
                        SIZE.width(), SIZE.height(), gray.toArray(ValueLayout.JAVA_BYTE), seed);
        CodePlace writeback = writeback();
        ProgramEdits broken = ProgramEdits.without(Set.of(writeback));
        say(out, "kernel", SOURCE + " finds edges on a DPA; the NIC sends each row to the host");
        say(
                out,
                "missing",
                "line %d: %s".formatted(writeback.line(), line(writeback.line()).strip()));

        MemorySegment edges = MemorySegment.ofArray(sending.inWeakMemory(broken));
        say(out, "damage", damage(expected, edges));
        write(out, "broken", directory.resolve("edges-broken.png"), edges);
        write(out, "right", directory.resolve("edges.png"), expected);
        out.println();

        CheckReport report = sending.checked(broken);
        report.entries().forEach(entry -> tell(out, entry.finding()));
        Repair repair = ProgramRepair.find(sending::checked, report, broken);
        if (!repair.cured()) {
            throw new CommandException("the checker knows no repair: " + repair.proof());
        }
        for (Edit edit : repair.edits()) {
            propose(out, edit, writeback.line());
        }
        say(out, "", "With it the checker finds nothing any more.");
        if (fix) {
            out.println();
            fix(out, expected, sending.inWeakMemory(ProgramRepair.insert(repair.edits(), broken)));
        } else {
            say(out, "", "See it work: ./outboard demo --break --fix");
        }
        out.flush();
        return ExitCode.OK;
    }

    private static void fix(PrintWriter out, MemorySegment expected, byte[] edges) {
        long mismatch = expected.mismatch(MemorySegment.ofArray(edges));
        if (mismatch >= 0) {
            throw new CommandException(
                    "the repaired kernel's picture is still wrong, first at byte " + mismatch);
        }
        say(
                out,
                "repaired",
                "all %d pixels are right, in the same weak memory".formatted(edges.length));
    }

    /// One channel of the picture that the demonstration paints.
    private static MemorySegment gray() {
        MemorySegment gray = MemorySegment.ofArray(new byte[(int) SIZE.pixels()]);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment rgb = arena.allocate(Picture.CHANNELS * SIZE.pixels());
            Landscape.paint(SIZE.width(), SIZE.height(), rgb, _ -> {});
            for (long i = 0; i < gray.byteSize(); i++) {
                byte green = rgb.get(ValueLayout.JAVA_BYTE, Picture.CHANNELS * i + 1);
                gray.set(ValueLayout.JAVA_BYTE, i, green);
            }
        }
        return gray;
    }

    private static String damage(MemorySegment expected, MemorySegment edges) {
        int wrong = 0;
        int rows = 0;
        for (int y = 0; y < SIZE.height(); y++) {
            int before = wrong;
            for (int x = 0; x < SIZE.width(); x++) {
                long at = (long) y * SIZE.width() + x;
                byte right = expected.get(ValueLayout.JAVA_BYTE, at);
                wrong += edges.get(ValueLayout.JAVA_BYTE, at) == right ? 0 : 1;
            }
            rows += wrong > before ? 1 : 0;
        }
        String count = "%d of %d pixels are wrong".formatted(wrong, SIZE.pixels());
        if (wrong == 0) {
            return count + ": with this seed every row happened to be there in time";
        }
        long first = expected.mismatch(edges);
        return "%s, in %d of %d rows, first at column %d of row %d:%n%9sthe NIC has sent what memory held before the edges, the picture itself"
                .formatted(
                        count, rows, SIZE.height(), first % SIZE.width(), first / SIZE.width(), "");
    }

    private static void tell(PrintWriter out, Finding finding) {
        say(
                out,
                "checker",
                "%s %s [%s]".formatted(finding.severity(), finding.rule(), finding.rule().row()));
        say(out, "", "  " + finding.first());
        say(out, "", "  " + finding.second());
    }

    /// Shows the lines around an insertion.
    ///
    /// @param missing the line that the program does not have now
    private void propose(PrintWriter out, Edit edit, int missing) {
        int at = edit.at().line() + (edit.where() == Edit.Where.BEFORE ? 0 : 1);
        say(out, "fix", edit.toString());
        for (int number = at - NEIGHBOURS - 1; number <= at; number++) {
            String line = line(number);
            if (number == at) {
                String indent = line.substring(0, line.length() - line.stripLeading().length());
                out.printf("%9s+    %s%s%n", "", indent, edit.operation());
            }
            if (number != missing) {
                out.printf("%9s%4d %s%n", "", number, line);
            }
        }
    }

    private CodePlace writeback() {
        for (int number = 1; number <= source.size(); number++) {
            if (line(number).contains(MARK)) {
                return new CodePlace(SOURCE, number, 0, "send");
            }
        }
        throw new IllegalStateException("No line of %s has '%s'".formatted(SOURCE, MARK));
    }

    private String line(int number) {
        return source.get(number - 1);
    }

    private static List<String> source() {
        try (InputStream text =
                Objects.requireNonNull(EdgeSender.class.getResourceAsStream(SOURCE), SOURCE)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(PrintWriter out, String what, Path file, MemorySegment edges)
            throws IOException {
        ImageFile.write(file, SIZE.width(), SIZE.height(), 1, edges);
        say(out, what, file.toAbsolutePath().toString());
    }

    private static void say(PrintWriter out, String what, String line) {
        out.printf("%-9s%s%n", what, line);
        out.flush();
    }
}
