package dev.outboard.console.node;

import java.util.List;

/// A key of a node file, and the option of `outboard naa serve` that says the same.
///
/// @param path from the outermost key on, with dots; `*` stands for a name
/// @param option with its dashes
/// @param isList whether it has several values; the option may be given several times then
/// @param standard what is without it, for people; empty if `meaning` tells
/// @param meaning a sentence without a full stop
record NodeKey<T>(
        String path,
        String option,
        ValueType<T> type,
        boolean isList,
        String standard,
        String meaning) {
    /// Of one value.
    static <T> NodeKey<T> of(
            String path, String option, ValueType<T> type, String standard, String meaning) {
        return new NodeKey<>(path, option, type, false, standard, meaning);
    }

    /// Whether a name is part of it.
    boolean isNamed() {
        return path.contains("*");
    }

    /// Whether its value is that name.
    boolean isName() {
        return path.endsWith("*");
    }

    /// What stands before its last part.
    String section() {
        return path.contains(".") ? path.substring(0, path.lastIndexOf('.')) : "";
    }

    /// Its last part.
    String word() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    /// The path, with this name in it.
    String pathOf(String name) {
        return path.replace("*", name);
    }

    /// What the option's help says.
    List<String> help() {
        return List.of(
                standard.isEmpty()
                        ? meaning + "."
                        : "%s, default %s.".formatted(meaning, standard));
    }
}
