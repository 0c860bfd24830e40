package dev.outboard.console.node;

import java.util.List;

/// What a YAML file says, with the places where it does.
sealed interface Yaml {
    /// Where it begins.
    Position at();

    /// As a message calls it.
    String kind();

    /// Text, a number or a truth value, as it is written; empty for nothing or null.
    record Scalar(Position at, String text) implements Yaml {
        @Override
        public String kind() {
            return text.isEmpty() ? "nothing" : "'" + text + "'";
        }
    }

    /// A list.
    record Items(Position at, List<Yaml> items) implements Yaml {
        @Override
        public String kind() {
            return "a list";
        }
    }

    /// Keys with values, in order; a key may stand twice.
    record Mapping(Position at, List<Entry> entries) implements Yaml {
        @Override
        public String kind() {
            return "keys with values";
        }
    }

    /// A key with its value.
    record Entry(Position at, String key, Yaml value) {}
}
