package dev.outboard.dpa.json;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Writes JSON (RFC 8259), a member a line.
public final class JsonWriter {
    private static final int INDENT = 2;

    private final Appendable out;
    private int depth;
    private boolean first = true;

    private JsonWriter(Appendable out) {
        this.out = out;
    }

    /// An object as the whole text.
    public static String object(Consumer<JsonWriter> members) {
        StringBuilder text = new StringBuilder();
        object(text, members);
        return text.toString();
    }

    /// An object as the whole text, which is written as it is made.
    ///
    /// @throws UncheckedIOException if it cannot be written
    public static void object(Appendable out, Consumer<JsonWriter> members) {
        JsonWriter writer = new JsonWriter(out);
        writer.braces("{", "}", members);
        writer.put("\n");
    }

    private void put(String text) {
        try {
            out.append(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void braces(String open, String close, Consumer<JsonWriter> content) {
        put(open);
        depth++;
        first = true;
        content.accept(this);
        depth--;
        if (!first) {
            newLine();
        }
        put(close);
        first = false;
    }

    private void newLine() {
        put("\n" + " ".repeat(INDENT * depth));
    }

    private void next() {
        if (!first) {
            put(",");
        }
        first = false;
        newLine();
    }

    private void name(String name) {
        next();
        string(name);
        put(": ");
    }

    /// A member.
    public void member(String name, String value) {
        name(name);
        string(value);
    }

    /// A member.
    public void member(String name, long value) {
        name(name);
        put(String.valueOf(value));
    }

    /// A member.
    public void member(String name, boolean value) {
        name(name);
        put(String.valueOf(value));
    }

    /// A member.
    public void member(String name, Consumer<JsonWriter> members) {
        name(name);
        braces("{", "}", members);
    }

    /// A member that is an array of objects.
    public <T> void array(String name, Collection<T> elements, BiConsumer<JsonWriter, T> members) {
        name(name);
        braces(
                "[",
                "]",
                writer -> {
                    for (T element : elements) {
                        writer.next();
                        writer.braces("{", "}", inner -> members.accept(inner, element));
                    }
                });
    }

    /// A member that is an array of strings.
    public void strings(String name, Collection<String> elements) {
        name(name);
        braces(
                "[",
                "]",
                writer -> {
                    for (String element : elements) {
                        writer.next();
                        writer.string(element);
                    }
                });
    }

    private void string(String value) {
        StringBuilder quoted = new StringBuilder(value.length() + 2).append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c < ' ') {
                        quoted.append("\\u%04x".formatted((int) c));
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        put(quoted.append('"').toString());
    }
}
