package dev.outboard.console.spec;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/// Pieces of HTML pages that stand alone: style and script are inside.
final class Html {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern STRONG = Pattern.compile("\\*\\*([^*]+)\\*\\*");

    private Html() {}

    /// Text as it is, for elements and attributes.
    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /// A cell of a catalog: text with the little Markdown that cells have.
    static String ofMarkdown(String text) {
        String code = CODE.matcher(escaped(text)).replaceAll("<code>$1</code>");
        return STRONG.matcher(code).replaceAll("<strong>$1</strong>");
    }

    /// The word for a state, in its colour.
    static String of(State state) {
        return "<span class=\"state %s\">%s</span>".formatted(state.word("-"), state.word(" "));
    }

    /// @param top what stays at the top while the page is scrolled
    static String page(String title, String top, String body) throws IOException {
        return """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>%s</title>
        <style>
        %s</style>
        </head>
        <body>
        <div class="top"><header>
        %s</header></div>
        <main>
        %s</main>
        %s</body>
        </html>
        """
                .formatted(
                        escaped(title),
                        resource("report.css"),
                        top,
                        body,
                        top.contains("id=\"search\"")
                                ? "<script>\n" + resource("report.js") + "</script>\n"
                                : "");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(Html.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /// Some lines of a source file, numbered, under their place.
    ///
    /// @param from the directory of the page
    /// @param line the first line, from 1
    static String excerpt(Path root, Path from, Path file, int line, int count) throws IOException {
        List<String> lines = Files.readAllLines(file);
        int end = Math.min(lines.size(), line - 1 + count);
        StringBuilder html = new StringBuilder();
        html.append(
                "<div class=\"place\"><a href=\"%s\">%s:%d</a></div>\n<pre>"
                        .formatted(
                                escaped(from.relativize(file).toString()),
                                escaped(root.relativize(file).toString()),
                                line));
        for (int i = line - 1; i < end; i++) {
            html.append(
                    "<span class=\"n\">%5d  </span>%s\n".formatted(i + 1, escaped(lines.get(i))));
        }
        return html.append("</pre>\n").toString();
    }
}
