package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads a JSON text (RFC 8259) into maps, lists, strings, numbers, booleans and null. Of members
/// with the same name the last one counts, as in the tools that AFU files are written for.
final class Json {
    private static final Pattern NUMBER =
            Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");
    private static final int DEEPEST = 100;

    private final String text;
    private final Path file;
    private int position;

    private Json(String text, Path file) {
        this.text = text;
        this.file = file;
    }

    /// The value that is the whole text.
    ///
    /// @param file where it is from, for messages
    /// @throws RtlException with line and column if it is no JSON
    static @Nullable Object parse(String text, Path file) {
        Json json = new Json(text, file);
        Object value = json.value(0);
        json.skipSpace();
        if (json.position < text.length()) {
            throw json.wrong("the end of the file");
        }
        return value;
    }

    private @Nullable Object value(int depth) {
        skipSpace();
        if (depth > DEEPEST) {
            throw wrong("fewer than " + DEEPEST + " brackets within another");
        }
        char first = peek();
        if (first == '{') {
            return object(depth);
        }
        if (first == '[') {
            return list(depth);
        }
        if (first == '"') {
            return string();
        }
        for (String word : new String[] {"true", "false", "null"}) {
            if (text.startsWith(word, position)) {
                position += word.length();
                return word.equals("null") ? null : (Object) word.equals("true");
            }
        }
        Matcher number = NUMBER.matcher(text).region(position, text.length());
        if (!number.lookingAt()) {
            throw wrong("a value");
        }
        position = number.end();
        return Double.valueOf(number.group());
    }

    private Map<String, @Nullable Object> object(int depth) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        position++;
        skipSpace();
        while (peek() != '}') {
            if (!members.isEmpty()) {
                expect(',', "\",\" or \"}\"");
                skipSpace();
            }
            if (peek() != '"') {
                throw wrong("a name in quotes");
            }
            String name = string();
            skipSpace();
            expect(':', "\":\" after \"" + name + "\"");
            members.put(name, value(depth + 1));
            skipSpace();
        }
        position++;
        return members;
    }

    private List<@Nullable Object> list(int depth) {
        List<@Nullable Object> values = new ArrayList<>();
        position++;
        skipSpace();
        while (peek() != ']') {
            if (!values.isEmpty()) {
                expect(',', "\",\" or \"]\"");
            }
            values.add(value(depth + 1));
            skipSpace();
        }
        position++;
        return values;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        position++;
        while (peek() != '"') {
            char next = text.charAt(position++);
            if (next < ' ') {
                position--;
                throw wrong("a quote that ends the string");
            }
            string.append(next == '\\' ? escaped() : next);
        }
        position++;
        return string.toString();
    }

    private char escaped() {
        char letter = peek();
        position++;
        if (letter == 'u' && text.substring(position).matches("(?s)[0-9a-fA-F]{4}.*")) {
            position += 4;
            return (char) Integer.parseInt(text.substring(position - 4, position), 16);
        }
        int known = "\"\\/bfnrt".indexOf(letter);
        if (known < 0) {
            position--;
            throw wrong("one of \" \\ / b f n r t u after a backslash");
        }
        return "\"\\/\b\f\n\r\t".charAt(known);
    }

    private void expect(char wanted, String what) {
        if (peek() != wanted) {
            throw wrong(what);
        }
        position++;
    }

    /// NUL, which no JSON has, at the end.
    private char peek() {
        return position < text.length() ? text.charAt(position) : '\0';
    }

    private void skipSpace() {
        while (position < text.length() && " \t\r\n\uFEFF".indexOf(peek()) >= 0) {
            position++;
        }
    }

    private RtlException wrong(String wanted) {
        String before = text.substring(0, Math.min(position, text.length()));
        long line = before.chars().filter(letter -> letter == '\n').count() + 1;
        int column = before.length() - before.lastIndexOf('\n');
        String found = position < text.length() ? "\"" + peek() + "\"" : "the end of the file";
        return new RtlException(
                Reason.INPUT,
                "%s:%d:%d: no JSON: expected %s, found %s"
                        .formatted(file, line, column, wanted, found));
    }
}
