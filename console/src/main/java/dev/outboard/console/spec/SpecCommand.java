package dev.outboard.console.spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
                "Report which requirements have a passing test, which are out of scope, and"
                        + " which are missing.",
        footer = {"", "The results are those of the last './outboard test'."})
public final class SpecCommand implements Callable<Integer> {
    private static final String OUT_OF_SCOPE = "spec/out-of-scope.tsv";
    private static final int ID_LINE_WIDTH = 96;
    private static final int TEXT_WIDTH = 78;

    @Spec private CommandSpec spec;

    @Option(names = "--missing", description = "List only what is missing, with its text.")
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
        out.printf(
                "%-12s %6s %7s %8s %13s %8s%n",
                "Catalog", "rows", "proven", "failing", "out of scope", "missing");
        all.forEach(coverage -> printCounts(out, coverage.catalog().name(), List.of(coverage)));
        if (all.size() > 1) {
            printCounts(out, "all", all);
        }
    }

    private static void printCounts(PrintWriter out, String label, List<Coverage> summed) {
        out.printf(
                "%-12s %6d %7d %8d %13d %8d%n",
                label,
                sum(summed, coverage -> coverage.catalog().rows().size()),
                sum(summed, coverage -> coverage.proven().size()),
                sum(summed, coverage -> coverage.failing().size()),
                sum(summed, Coverage::outOfScopeCount),
                sum(summed, coverage -> coverage.missing().size()));
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
        printIds(out, "proven", coverage.proven());
        printIds(out, "failing", coverage.failing());
        coverage.outOfScope()
                .forEach((entry, ids) ->
                        out.printf(
                                "  out of scope: %s (%d), %s%n",
                                entry.pattern(), ids.size(), entry.reason()));
        printIds(out, "missing", coverage.missing());
    }

    private static void printMissing(PrintWriter out, Coverage coverage) {
        List<String> open = new ArrayList<>(coverage.failing());
        open.addAll(coverage.missing());
        if (open.isEmpty()) {
            return;
        }
        out.printf("%n%s%n", coverage.catalog().name());
        Map<String, String> rows = coverage.catalog().rows();
        open.forEach(id -> out.printf("  %-14s %s%n", id, shortened(rows.getOrDefault(id, ""))));
    }

    private static String shortened(String text) {
        return text.length() <= TEXT_WIDTH ? text : text.substring(0, TEXT_WIDTH - 1) + "…";
    }

    private static void printIds(PrintWriter out, String label, List<String> ids) {
        if (ids.isEmpty()) {
            return;
        }
        out.printf("  %s (%d)%n", label, ids.size());
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
