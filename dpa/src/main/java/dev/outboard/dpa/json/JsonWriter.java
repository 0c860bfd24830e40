package dev.outboard.dpa.json;

import java.util.Collection;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Writes JSON (RFC 8259), a member a line.
public final class JsonWriter {
    private static final int INDENT = 2;

    private final StringBuilder out = new StringBuilder();
    private int depth;
    private boolean first = true;

    /// An object as the whole text.
    public static String object(Consumer<JsonWriter> members) {
        JsonWriter writer = new JsonWriter();
        writer.braces('{', '}', members);
        return writer.out.append('\n').toString();
    }

    private void braces(char open, char close, Consumer<JsonWriter> content) {
        out.append(open);
        depth++;
        first = true;
        content.accept(this);
        depth--;
        if (!first) {
            newLine();
        }
        out.append(close);
        first = false;
    }

    private void newLine() {
        out.append('\n').repeat(' ', INDENT * depth);
    }

    private void next() {
        if (!first) {
            out.append(',');
        }
        first = false;
        newLine();
    }

    private void name(String name) {
        next();
        string(name);
        out.append(": ");
    }

    /// A member.
    public void member(String name, String value) {
        name(name);
        string(value);
    }

    /// A member.
    public void member(String name, long value) {
        name(name);
        out.append(value);
    }

    /// A member.
    public void member(String name, boolean value) {
        name(name);
        out.append(value);
    }

    /// A member.
    public void member(String name, Consumer<JsonWriter> members) {
        name(name);
        braces('{', '}', members);
    }

    /// A member that is an array of objects.
    public <T> void array(String name, Collection<T> elements, BiConsumer<JsonWriter, T> members) {
        name(name);
        braces(
                '[',
                ']',
                writer -> {
                    for (T element : elements) {
                        writer.next();
                        writer.braces('{', '}', inner -> members.accept(inner, element));
                    }
                });
    }

    /// A member that is an array of strings.
    public void strings(String name, Collection<String> elements) {
        name(name);
        braces(
                '[',
                ']',
                writer -> {
                    for (String element : elements) {
                        writer.next();
                        writer.string(element);
                    }
                });
    }

    private void string(String value) {
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ') {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
