package dev.outboard.console.explain;

import dev.outboard.fabric.Finding;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// An error that can be explained.
///
/// @param names how programs call it; `…` in one stands for what differs
/// @param cause what it means
/// @param remedy what to look at
record KnownError(List<String> names, String cause, String remedy) {
    private static final String GAP = "…";

    /// Shorter names are words of the language too, and have to be the whole text.
    private static final int TELLING = 9;

    /// How much of `text` tells of this error: 0 for nothing.
    int match(String text) {
        return names.stream().mapToInt(name -> match(name, text)).max().orElse(0);
    }

    private static int match(String name, String text) {
        if (text.equalsIgnoreCase(name)) {
            return Integer.MAX_VALUE;
        }
        String[] parts = name.split(GAP);
        StringBuilder pattern = new StringBuilder();
        int length = 0;
        for (String part : parts) {
            String words = part.strip();
            if (!words.isEmpty()) {
                pattern.append(pattern.isEmpty() ? "" : ".*?").append(Pattern.quote(words));
                length += words.length();
            }
        }
        boolean isTelling = length >= TELLING || (name.contains("_") && length > 4);
        String whole = "(?<![\\w])" + pattern + "(?![\\w])";
        return isTelling
                        && Pattern.compile(whole, Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE)
                                .matcher(text)
                                .find()
                ? length
                : 0;
    }

    Finding finding() {
        String name = names.getFirst();
        return cause.toLowerCase(Locale.ROOT).startsWith("nothing is wrong")
                ? Finding.ok(name, cause)
                : Finding.fail(name, cause, remedy);
    }
}
