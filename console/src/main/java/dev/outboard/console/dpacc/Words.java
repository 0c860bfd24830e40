package dev.outboard.console.dpacc;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Options in one text, between blanks or commas; quotes keep both.
final class Words {
    private static final Pattern WORD = Pattern.compile("(?:[^\\s,\"']|\"[^\"]*\"|'[^']*')+");
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"|'([^']*)'");

    private Words() {}

    static List<String> of(String text) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(text);
        while (matcher.find()) {
            words.add(QUOTED.matcher(matcher.group()).replaceAll(Words::content));
        }
        return words;
    }

    private static String content(MatchResult quoted) {
        String content = quoted.group(1) == null ? quoted.group(2) : quoted.group(1);
        return Matcher.quoteReplacement(content);
    }
}
