package dev.outboard.console.explain;

import dev.outboard.naa.MrspException;
import dev.outboard.naa.ReturnCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The messages of this program, as the guide to troubleshooting explains them: its tables are the
/// one place where they stand.
final class GuideErrors {
    private static final String PAGE = "troubleshooting.md";
    private static final Pattern QUOTE = Pattern.compile("`([^`]+)`");
    private static final Pattern LINK = Pattern.compile("\\[([^]]+)]\\([^)]+\\)");
    private static final Pattern CODE =
            Pattern.compile("(?i)\\b(mrsp|return|code|error)\\b\\D{0,20}0x([0-9a-f]{1,2})\\b");

    private GuideErrors() {}

    static Stream<KnownError> all() {
        List<KnownError> errors = new ArrayList<>();
        boolean isInside = false;
        for (String line : page().lines().toList()) {
            if (!line.startsWith("|")) {
                isInside = false;
            } else if (line.startsWith("| it says |")) {
                isInside = true;
            } else if (isInside && !line.startsWith("| ---")) {
                add(errors, line.split("\\|"));
            }
        }
        return errors.stream();
    }

    private static void add(List<KnownError> errors, String[] cells) {
        List<String> names =
                QUOTE.matcher(cells[1]).results().map(quote -> quote.group(1)).toList();
        if (!names.isEmpty()) {
            errors.add(new KnownError(names, sentence(cells, 2), sentence(cells, 3)));
        }
    }

    private static String sentence(String[] cells, int index) {
        String text = index < cells.length ? cells[index].strip() : "";
        return LINK.matcher(text).replaceAll(link -> Matcher.quoteReplacement(seen(link)));
    }

    /// Where a page sends its reader to, a command sends to the page.
    private static String seen(MatchResult link) {
        return link.group(1).equals("below") ? "docs/guide/troubleshooting.md" : link.group(1);
    }

    /// A code of the NAAICE protocol with what it means, in place of the number; others as they
    /// are.
    static List<String> inWords(String text) {
        Matcher matcher = CODE.matcher(text);
        if (!matcher.find()) {
            return List.of(text);
        }
        int code = Integer.parseInt(matcher.group(2), 16);
        boolean isReturn = matcher.group(1).equalsIgnoreCase("return") || text.contains("RPC");
        boolean isMrsp = text.toLowerCase(java.util.Locale.ROOT).contains("mrsp");
        List<String> words = new ArrayList<>();
        if (!isMrsp) {
            words.add(meaning(ReturnCode.explain(code)));
        }
        if (!isReturn) {
            words.add(meaning(MrspException.explain(code)));
        }
        words.add(text);
        return words;
    }

    private static String meaning(String explanation) {
        return explanation.replaceFirst("0x.. \\((.*)\\)", "$1");
    }

    private static String page() {
        try (InputStream stream =
                Objects.requireNonNull(GuideErrors.class.getResourceAsStream(PAGE), PAGE)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
