package dev.outboard.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/// Compares JSON with a schema, of which it knows what the schemas of this project use, and refuses
/// the rest.
public final class JsonSchema {
    private static final Set<String> KNOWN =
            Set.of(
                    "$schema",
                    "$defs",
                    "$ref",
                    "title",
                    "description",
                    "type",
                    "required",
                    "additionalProperties",
                    "properties",
                    "items",
                    "enum",
                    "const",
                    "pattern",
                    "minimum");

    private final Map<?, ?> root;
    private final List<String> problems = new ArrayList<>();

    private JsonSchema(Map<?, ?> root) {
        this.root = root;
    }

    /// What is not as a schema, a resource beside a class, has it.
    public static List<String> problems(Class<?> beside, String schema, String json)
            throws IOException {
        try (InputStream resource = Objects.requireNonNull(beside.getResourceAsStream(schema))) {
            String text = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
            JsonSchema check = new JsonSchema((Map<?, ?>) JsonText.parse(text));
            check.check("", check.root, JsonText.parse(json));
            return check.problems;
        }
    }

    private void require(boolean holds, String where, String problem) {
        if (!holds) {
            problems.add(where + ": " + problem);
        }
    }

    private void check(String where, Map<?, ?> schema, Object value) {
        for (Object key : schema.keySet()) {
            require(KNOWN.contains(key), where, "the schema has an unknown " + key);
        }
        if (schema.get("$ref") instanceof String reference) {
            Map<?, ?> definitions = (Map<?, ?>) Objects.requireNonNull(root.get("$defs"));
            Object definition = definitions.get(reference.replace("#/$defs/", ""));
            check(where, (Map<?, ?>) Objects.requireNonNull(definition, reference), value);
        }
        if (schema.get("type") instanceof String type) {
            require(isOf(type, value), where, value + " is no " + type);
        }
        if (schema.get("enum") instanceof List<?> values) {
            require(values.contains(value), where, value + " is none of " + values);
        }
        if (schema.containsKey("const")) {
            Object constant = schema.get("const");
            require(value.equals(constant), where, value + " is not " + constant);
        }
        if (schema.get("pattern") instanceof String pattern) {
            boolean found = Pattern.compile(pattern).matcher((String) value).find();
            require(found, where, value + " is not as " + pattern);
        }
        if (schema.get("minimum") instanceof Long least) {
            require((Long) value >= least, where, value + " is less than " + least);
        }
        if (value instanceof Map<?, ?> object) {
            checkObject(where, schema, object);
        }
        if (value instanceof List<?> array && schema.get("items") instanceof Map<?, ?> items) {
            for (int i = 0; i < array.size(); i++) {
                check(where + "/" + i, items, Objects.requireNonNull(array.get(i)));
            }
        }
    }

    private static boolean isOf(String type, Object value) {
        return switch (type) {
            case "object" -> value instanceof Map;
            case "array" -> value instanceof List;
            case "string" -> value instanceof String;
            case "integer" -> value instanceof Long;
            case "boolean" -> value instanceof Boolean;
            default -> throw new IllegalArgumentException("unknown type " + type);
        };
    }

    private void checkObject(String where, Map<?, ?> schema, Map<?, ?> object) {
        if (schema.get("required") instanceof List<?> required) {
            for (Object name : required) {
                require(object.containsKey(name), where, name + " is missing");
            }
        }
        Map<?, ?> properties = schema.get("properties") instanceof Map<?, ?> map ? map : Map.of();
        object.forEach((name, value) -> {
            if (properties.get(name) instanceof Map<?, ?> property) {
                check(where + "/" + name, property, Objects.requireNonNull(value));
            } else {
                boolean open = !Boolean.FALSE.equals(schema.get("additionalProperties"));
                require(open, where, name + " is one too many");
            }
        });
    }
}
