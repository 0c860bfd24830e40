package dev.outboard.console.spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `outboard spec`: reads the catalogs, the declared exceptions and the last test results of the
/// source tree, and reports what is proven.
@Command(
        name = "spec",
        description =
                "Report which requirements have a passing test, which are left out and why, and"
                        + " which are missing.",
        footer = {"", "The results are those of the last './outboard test'."})
public final class SpecCommand implements Callable<Integer> {
    private static final String OUT_OF_SCOPE = "spec/out-of-scope.tsv";
    private static final int ID_LINE_WIDTH = 96;
    private static final int TEXT_WIDTH = 70;

    private static final List<State> NOT_PROVEN =
            List.of(State.FAILING, State.SKIPPED, State.MISSING);

    @Spec private CommandSpec spec;

    @Option(
            names = "--missing",
            description = "List only what is missing, failing or skipped, with its text.")
    private boolean missingOnly;

    @Option(
            names = "--catalog",
            paramLabel = "NAME",
            description = "Report only the catalog spec/NAME.md.")
    private @Nullable String name;

    @Override
    public Integer call() throws IOException {
        Path root = root();
        PrintWriter out = spec.commandLine().getOut();
        TestResults results = TestResults.readAll(root);
        OutOfScope scope = OutOfScope.read(root.resolve(OUT_OF_SCOPE));
        List<Coverage> all =
                catalogs(root).stream()
                        .map(catalog -> Coverage.of(catalog, results, scope))
                        .toList();
        if (results.modules() == 0) {
            out.println("No test results yet: './outboard test' makes them.\n");
        }
        printCounts(out, all);
        all.forEach(coverage -> printLists(out, coverage));
        return ExitCode.OK;
    }

    /// The launcher names the source tree; without it the current directory has to be in one.
    private static Path root() throws IOException {
        Path start = Path.of(System.getProperty("outboard.home", "")).toAbsolutePath();
        for (Path at = start; at != null; at = at.getParent()) {
            if (Files.isRegularFile(at.resolve(OUT_OF_SCOPE))) {
                return at;
            }
        }
        throw new NoSuchFileException(start.resolve(OUT_OF_SCOPE).toString());
    }

    private List<Catalog> catalogs(Path root) throws IOException {
        List<Catalog> all = Catalog.readAll(root.resolve("spec"));
        if (name == null) {
            return all;
        }
        List<Catalog> chosen = all.stream().filter(catalog -> catalog.name().equals(name)).toList();
        if (chosen.isEmpty()) {
            String names = all.stream().map(Catalog::name).collect(Collectors.joining(", "));
            throw new ParameterException(
                    spec.commandLine(), "no catalog '" + name + "', there are " + names);
        }
        return chosen;
    }

    private static void printCounts(PrintWriter out, List<Coverage> all) {
        out.printf("%-10s %6s", "Catalog", "rows");
        for (State state : State.values()) {
            out.print("  " + state.word(" "));
        }
        out.println();
        all.forEach(coverage -> printCounts(out, coverage.catalog().name(), List.of(coverage)));
        if (all.size() > 1) {
            printCounts(out, "all", all);
        }
    }

    private static void printCounts(PrintWriter out, String label, List<Coverage> summed) {
        out.printf("%-10s %6d", label, sum(summed, coverage -> coverage.catalog().rows().size()));
        for (State state : State.values()) {
            int width = 2 + state.word(" ").length();
            out.printf("%" + width + "d", sum(summed, coverage -> coverage.count(state)));
        }
        out.println();
    }

    private static int sum(List<Coverage> all, ToIntFunction<Coverage> count) {
        return all.stream().mapToInt(count).sum();
    }

    private void printLists(PrintWriter out, Coverage coverage) {
        if (missingOnly) {
            printMissing(out, coverage);
            return;
        }
        out.printf("%n%s%n", coverage.catalog().name());
        printIds(out, coverage, State.PROVEN);
        coverage.exceptions()
                .forEach((entry, ids) ->
                        out.printf(
                                "  %s: %s (%s), %s%n",
                                entry.kind().word(" "),
                                entry.pattern(),
                                ids.isEmpty() ? "proven" : ids.size(),
                                entry.reason()));
        NOT_PROVEN.forEach(state -> printIds(out, coverage, state));
    }

    private static void printMissing(PrintWriter out, Coverage coverage) {
        List<String> open = NOT_PROVEN.stream().flatMap(s -> coverage.marks(s).stream()).toList();
        if (open.isEmpty()) {
            return;
        }
        out.printf("%n%s%n", coverage.catalog().name());
        open.forEach(mark ->
                out.printf(
                        "  %-14s %-8s %s%n",
                        mark,
                        coverage.states().get(mark).word(" "),
                        shortened(coverage.catalog().text(mark))));
    }

    private static String shortened(String text) {
        return text.length() <= TEXT_WIDTH ? text : text.substring(0, TEXT_WIDTH - 1) + "…";
    }

    private static void printIds(PrintWriter out, Coverage coverage, State state) {
        List<String> ids = coverage.marks(state);
        if (ids.isEmpty()) {
            return;
        }
        out.printf("  %s (%d)%n", state.word(" "), ids.size());
        StringBuilder line = new StringBuilder();
        for (String id : ids) {
            if (line.length() + id.length() > ID_LINE_WIDTH) {
                out.println("   " + line);
                line.setLength(0);
            }
            line.append(' ').append(id);
        }
        out.println("   " + line);
    }
}
