package dev.outboard.console.node;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLParser;

/// Reads YAML of people: one document, values as they are written, no aliases, so that a file is
/// never more than it looks like.
final class YamlReader {
    /// How long a file may be.
    static final int MAX_CHARACTERS = 1 << 20;

    private static final int MAX_DEPTH = 16;
    private static final int MAX_REASON_LINES = 2;
    private static final Position BEGIN = new Position(1, 1);

    private final YAMLParser parser;
    private final Problems problems;

    private YamlReader(YAMLParser parser, Problems problems) {
        this.parser = parser;
        this.problems = problems;
    }

    /// What the text says, as far as it could be read.
    static Yaml.Mapping read(String text, Problems problems) {
        Yaml.Mapping nothing = new Yaml.Mapping(BEGIN, List.of());
        if (text.length() > MAX_CHARACTERS) {
            problems.add(
                    BEGIN, "the file is too long; valid: up to %d bytes".formatted(MAX_CHARACTERS));
            return nothing;
        }
        try (YAMLParser parser =
                (YAMLParser) new YAMLFactory().createParser(ObjectReadContext.empty(), text)) {
            return new YamlReader(parser, problems).document(nothing);
        } catch (JacksonException e) {
            problems.add(position(e.getLocation()), "this is not YAML: " + reason(e));
            return nothing;
        }
    }

    private Yaml.Mapping document(Yaml.Mapping nothing) {
        if (parser.nextToken() == null) {
            return nothing;
        }
        Yaml root = value(0);
        if (parser.nextToken() != null) {
            problems.add(position(), "another document begins here; valid: one a file");
        }
        if (root instanceof Yaml.Mapping mapping) {
            return mapping;
        }
        if (!(root instanceof Yaml.Scalar scalar && scalar.text().isEmpty())) {
            problems.add(
                    root.at(), "the file is %s; valid: keys with values".formatted(root.kind()));
        }
        return nothing;
    }

    /// What begins with the current token; ends at its last one.
    private Yaml value(int depth) {
        Position at = position();
        if (depth > MAX_DEPTH) {
            problems.add(at, "too deep; valid: up to %d levels".formatted(MAX_DEPTH));
            parser.skipChildren();
            return new Yaml.Scalar(at, "");
        }
        return switch (parser.currentToken()) {
            case START_OBJECT -> mapping(at, depth);
            case START_ARRAY -> items(at, depth);
            case VALUE_NULL -> new Yaml.Scalar(at, "");
            default -> scalar(at);
        };
    }

    private Yaml scalar(Position at) {
        String text = parser.getString();
        if (parser.isCurrentAlias()) {
            problems.add(at, "the alias *%s; valid: the value itself".formatted(text));
            return new Yaml.Scalar(at, "");
        }
        return new Yaml.Scalar(at, text);
    }

    private Yaml mapping(Position at, int depth) {
        List<Yaml.Entry> entries = new ArrayList<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            Position keyAt = position();
            String key = parser.currentName();
            parser.nextToken();
            entries.add(new Yaml.Entry(keyAt, key, value(depth + 1)));
        }
        return new Yaml.Mapping(at, entries);
    }

    private Yaml items(Position at, int depth) {
        List<Yaml> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(depth + 1));
        }
        return new Yaml.Items(at, items);
    }

    private Position position() {
        return position(parser.currentTokenLocation());
    }

    private static Position position(TokenStreamLocation location) {
        return new Position(Math.max(1, location.getLineNr()), Math.max(1, location.getColumnNr()));
    }

    /// Without the lines that show the place once more, which are indented.
    private static String reason(JacksonException failure) {
        return String.valueOf(failure.getOriginalMessage())
                .lines()
                .filter(line -> !line.isEmpty() && !line.startsWith(" "))
                .limit(MAX_REASON_LINES)
                .collect(Collectors.joining(", "));
    }
}
