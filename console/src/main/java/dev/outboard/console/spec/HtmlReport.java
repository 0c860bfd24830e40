package dev.outboard.console.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Writes one HTML page per catalog that links every row to its code and its tests, and an index.
/// The pages need nothing but each other and, for their links, the source tree.
record HtmlReport(Evidence evidence, Path directory) {
    private static final Pattern HEADING = Pattern.compile("#{2,6} (.*)");
    private static final int CODE_LINES = 12;
    private static final int TEST_LINES = 24;

    /// Creates the directory if need be, and returns the index.
    Path write() throws IOException {
        Files.createDirectories(directory);
        List<Coverage> all = evidence.coverage();
        for (Coverage coverage : all) {
            Files.writeString(directory.resolve(pageOf(coverage)), page(coverage, all));
        }
        Path index = directory.resolve("index.html");
        Files.writeString(
                index, Html.page("Requirements", top("", "Requirements", all), index(all)));
        return index;
    }

    private static String pageOf(Coverage coverage) {
        return coverage.catalog().name() + ".html";
    }

    private static String top(String current, String title, List<Coverage> all) {
        StringBuilder html = new StringBuilder("<h1>%s</h1>".formatted(Html.escaped(title)));
        html.append("<span class=\"catalogs\"><a href=\"index.html\">all</a>");
        for (Coverage coverage : all) {
            String name = coverage.catalog().name();
            html.append(
                    "<a href=\"%s\"%s>%s</a>"
                            .formatted(
                                    pageOf(coverage),
                                    name.equals(current) ? " aria-current=\"page\"" : "",
                                    Html.escaped(name)));
        }
        return html.append("</span>\n").toString();
    }

    private String index(List<Coverage> all) throws IOException {
        StringBuilder html = new StringBuilder(doubts());
        html.append("<table><thead><tr><th>Catalog</th><th>rows</th>");
        for (State state : State.values()) {
            html.append("<th>%s</th>".formatted(state.word(" ")));
        }
        html.append("<th></th></tr></thead><tbody>\n");
        for (Coverage coverage : all) {
            String link =
                    "<a href=\"%s\">%s</a>"
                            .formatted(pageOf(coverage), Html.escaped(coverage.catalog().name()));
            html.append(counts("", link, List.of(coverage)));
        }
        html.append(counts(" class=\"sum\"", "all", all)).append("</tbody></table>\n");
        html.append("<h2>Left out, and why</h2>\n<table><tbody>\n");
        for (Coverage coverage : all) {
            coverage.exceptions()
                    .forEach((entry, ids) -> html.append(exception(coverage, entry, ids)));
        }
        return html.append("</tbody></table>\n").toString();
    }

    private static String counts(String attributes, String label, List<Coverage> summed) {
        int rows = sum(summed, coverage -> coverage.catalog().rows().size());
        StringBuilder html =
                new StringBuilder(
                        "<tr%s><td>%s</td><td>%d</td>".formatted(attributes, label, rows));
        StringBuilder bar = new StringBuilder();
        for (State state : State.values()) {
            int count = sum(summed, coverage -> coverage.count(state));
            html.append("<td%s>%d</td>".formatted(count == 0 ? " class=\"zero\"" : "", count));
            bar.append(
                    "<span class=\"%s\" style=\"flex:%d\" title=\"%s\"></span>"
                            .formatted(state.word("-"), count, state.word(" ")));
        }
        return html.append("<td><div class=\"bar\">%s</div></td></tr>\n".formatted(bar)).toString();
    }

    private static int sum(List<Coverage> all, ToIntFunction<Coverage> count) {
        return all.stream().mapToInt(count).sum();
    }

    private static String exception(Coverage coverage, OutOfScope.Entry entry, List<String> ids) {
        return "<tr><td><a href=\"%s\">%s</a></td><td>%s</td><td>%s</td><td class=\"text\">%s</td></tr>\n"
                .formatted(
                        entry.pattern().contains("*")
                                ? pageOf(coverage)
                                : pageOf(coverage) + "#" + entry.pattern(),
                        Html.escaped(entry.pattern()),
                        Html.of(entry.kind()),
                        ids.isEmpty() ? "proven" : ids.size(),
                        Html.ofMarkdown(entry.reason()));
    }

    private String doubts() throws IOException {
        List<String> doubts = evidence.doubts();
        if (doubts.isEmpty()) {
            return "";
        }
        StringBuilder html =
                new StringBuilder(
                        "<div class=\"notice\">Not all results are those of all tests on these"
                                + " sources.<ul>\n");
        doubts.forEach(doubt -> html.append("<li>%s</li>\n".formatted(Html.escaped(doubt))));
        return html.append("</ul></div>\n").toString();
    }

    private String page(Coverage coverage, List<Coverage> all) throws IOException {
        String name = coverage.catalog().name();
        Map<String, List<Row>> sections = sections(coverage.catalog());
        StringBuilder body = new StringBuilder(doubts());
        for (Map.Entry<String, List<Row>> section : sections.entrySet()) {
            body.append("<section><h2>%s</h2>\n".formatted(Html.ofMarkdown(section.getKey())));
            for (Row row : section.getValue()) {
                body.append(article(coverage, row));
            }
            body.append("</section>\n");
        }
        return Html.page(
                "Requirements: " + name, top(name, name, all) + tools(coverage), body.toString());
    }

    private static String tools(Coverage coverage) {
        StringBuilder html = new StringBuilder("<div class=\"tools\">");
        for (State state : State.values()) {
            int count = coverage.count(state);
            if (count > 0) {
                html.append(
                        "<button class=\"%s\" data-state=\"%s\" aria-pressed=\"false\">%s %d</button>"
                                .formatted(
                                        state.word("-"), state.word("-"), state.word(" "), count));
            }
        }
        return html.append(
                        "<input id=\"search\" type=\"search\" aria-label=\"Search\""
                                + " placeholder=\"Search IDs, texts, files, tests\">"
                                + "<span id=\"shown\"></span></div>\n")
                .toString();
    }

    /// The rows by the heading above them, both in the order of the catalog.
    private Map<String, List<Row>> sections(Catalog catalog) throws IOException {
        List<String> lines =
                Files.readAllLines(evidence.tree().resolve("spec/" + catalog.name() + ".md"));
        List<Integer> own = catalog.rows().values().stream().map(Row::line).toList();
        TreeMap<Integer, String> headings = new TreeMap<>(Map.of(0, catalog.name()));
        for (int i = 1; i <= lines.size(); i++) {
            Matcher heading = HEADING.matcher(lines.get(i - 1));
            if (heading.matches() && !own.contains(i)) {
                headings.put(i, heading.group(1));
            }
        }
        Map<String, List<Row>> sections = new LinkedHashMap<>();
        for (Row row : catalog.rows().values()) {
            sections.computeIfAbsent(
                            headings.floorEntry(row.line()).getValue(), key -> new ArrayList<>())
                    .add(row);
        }
        return sections;
    }

    private String article(Coverage coverage, Row row) throws IOException {
        State state = coverage.state(row.id());
        StringBuilder html = new StringBuilder();
        html.append(
                """
                <article class="row %s" id="%s" data-state="%s">
                <a class="id" href="#%s">%s</a>%s
                <p>%s</p>
                """
                        .formatted(
                                state.word("-"),
                                row.id(),
                                state.word("-"),
                                row.id(),
                                row.id(),
                                Html.of(state),
                                Html.ofMarkdown(row.text())));
        List<String> rest = row.cells().stream().skip(1).filter(cell -> !cell.isBlank()).toList();
        if (!rest.isEmpty()) {
            html.append(
                    "<p class=\"soft\">%s</p>\n"
                            .formatted(Html.ofMarkdown(String.join(" · ", rest))));
        }
        for (OutOfScope.Entry entry : evidence.exceptionsOf(row)) {
            html.append(
                    "<p class=\"soft\">%s: %s</p>\n"
                            .formatted(entry.kind().word(" "), Html.ofMarkdown(entry.reason())));
        }
        html.append(code(row));
        if (row.clauses().isEmpty()) {
            html.append(tests(row.id()));
        } else {
            html.append("<ul class=\"clauses\">\n");
            for (Row.Clause clause : row.clauses()) {
                html.append(
                        "<li class=\"%s\" id=\"%s\"><span class=\"id\">%s</span>%s %s%n%s</li>%n"
                                .formatted(
                                        coverage.state(clause.id()).word("-"),
                                        clause.id(),
                                        clause.id(),
                                        Html.of(coverage.state(clause.id())),
                                        Html.ofMarkdown(clause.text()),
                                        tests(clause.id())));
            }
            html.append("</ul>\n");
        }
        return html.append("</article>\n").toString();
    }

    private String code(Row row) throws IOException {
        List<Citations.Citation> citations = evidence.citations().of(row);
        if (citations.isEmpty()) {
            return "";
        }
        StringBuilder html = new StringBuilder();
        for (Citations.Citation each : citations) {
            html.append(excerpt(each.file(), each.line(), CODE_LINES));
        }
        return "<details><summary>%s in code</summary>%n%s</details>%n"
                .formatted(counted(citations.size(), "place"), html);
    }

    private String tests(String id) throws IOException {
        List<TestMarks.Mark> marks = evidence.marks().of(List.of(id));
        if (marks.isEmpty()) {
            return "";
        }
        StringBuilder html = new StringBuilder();
        for (TestMarks.Mark mark : marks) {
            html.append(excerpt(mark.file(), (int) mark.line(), TEST_LINES));
            evidence.results().outcomes(id).stream()
                    .filter(mark::isOf)
                    .forEach(each ->
                            html.append(
                                    "<div class=\"place\"><span class=\"%s\">%s<span class=\"state\">%s</span></span></div>%n"
                                            .formatted(
                                                    each.state().word("-"),
                                                    Html.escaped(each.test()),
                                                    RowText.ending(each))));
        }
        return "<details><summary>%s</summary>%n%s</details>%n"
                .formatted(counted(marks.size(), "test"), html);
    }

    private String excerpt(Path file, int line, int count) throws IOException {
        return Html.excerpt(
                evidence.tree().root(), directory.toAbsolutePath().normalize(), file, line, count);
    }

    private static String counted(int count, String noun) {
        return count == 1 ? "1 " + noun : count + " " + noun + "s";
    }
}
