package dev.outboard.console.spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard spec`: reads the catalogs, the declared exceptions, the code and tests that name
/// requirements and the last test results of the source tree, and reports what is proven.
@Command(
        name = "spec",
        description =
                "Report which requirements have a passing test, which are left out and why, and"
                        + " which are missing.",
        footer = {"", "The results are those of the last './outboard test'."})
public final class SpecCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "ID",
            arity = "0..*",
            description =
                    "Print these requirements: their text, the code that cites them, their tests"
                            + " and how those ended.")
    private List<String> ids = new ArrayList<>();

    @Option(
            names = "--missing",
            description = "List only what is missing, failing or skipped, with its text.")
    private boolean missingOnly;

    @Option(
            names = "--catalog",
            paramLabel = "NAME",
            description = "Report only the catalog spec/NAME.md.")
    private @Nullable String name;

    @Option(
            names = "--strict",
            description =
                    "End with exit code 1 if a requirement is missing, failing or skipped, or if"
                            + " results are partial or older than the sources.")
    private boolean isStrict;

    @Option(
            names = "--without",
            paramLabel = "MODULE",
            description =
                    "Do without the results of this module: its tests were not run, and"
                            + " what only they prove is named and does not count as missing.")
    private List<String> without = new ArrayList<>();

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description =
                    "Write one HTML page per catalog into this directory, and an index.html: each"
                            + " requirement with its code and tests.")
    private @Nullable Path report;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        SourceTree tree = SourceTree.find();
        for (String module : without) {
            if (!Files.isDirectory(tree.resolve(module).resolve("src"))) {
                throw new ParameterException(
                        spec.commandLine(), "no module '%s' in %s".formatted(module, tree.root()));
            }
        }
        Evidence evidence = Evidence.read(tree, without);
        if (!ids.isEmpty()) {
            return printRows(out, evidence);
        }
        List<Coverage> all = chosen(evidence.catalogs()).stream().map(evidence::coverage).toList();
        if (report != null) {
            out.println("Wrote " + new HtmlReport(evidence, report).write());
            return ExitCode.OK;
        }
        CoverageText text = new CoverageText(out, evidence);
        if (evidence.results().runs().isEmpty()) {
            out.println("No test results yet: './outboard test' makes them.\n");
        }
        text.printCounts(all);
        if (isStrict) {
            return text.printFailures(all) ? ExitCode.SOFTWARE : ExitCode.OK;
        }
        text.printDoubts();
        all.forEach(missingOnly ? text::printOpen : text::printLists);
        return ExitCode.OK;
    }

    private int printRows(PrintWriter out, Evidence evidence) {
        RowText text = new RowText(out, evidence);
        for (String id : ids) {
            Optional<Catalog> catalog =
                    evidence.catalogs().stream()
                            .filter(each -> each.rowOf(id).isPresent())
                            .findFirst();
            if (catalog.isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(),
                        "no catalog has a row '" + id + "'" + similar(id, evidence));
            }
            text.print(catalog.get(), catalog.get().rowOf(id).orElseThrow());
        }
        return ExitCode.OK;
    }

    /// What the rows of the same family are, for somebody who mistook the number.
    private static String similar(String id, Evidence evidence) {
        String family = id.replaceFirst("-[^-]*$", "-");
        List<String> rows =
                evidence.catalogs().stream()
                        .flatMap(catalog -> catalog.rows().keySet().stream())
                        .filter(row -> row.startsWith(family))
                        .toList();
        return rows.isEmpty()
                ? ", IDs look like ROCE-RC-16"
                : ", there are %s to %s".formatted(rows.getFirst(), rows.getLast());
    }

    private List<Catalog> chosen(List<Catalog> all) {
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
}
