package dev.outboard.console.node;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import picocli.CommandLine.TypeConversionException;

/// Reads a node file: which key is set to what, and where. What it cannot take it tells, and goes
/// on behind it.
final class NodeFile {
    private final Path directory;
    private final Problems problems;
    private final List<Setting<?>> settings = new ArrayList<>();

    private NodeFile(Path directory, Problems problems) {
        this.directory = directory;
        this.problems = problems;
    }

    /// What the file says.
    ///
    /// @throws IOException if it cannot be read
    static Settings read(Path file, Problems problems) throws IOException {
        Path directory = Optional.ofNullable(file.getParent()).orElse(Path.of(""));
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(YamlReader.MAX_CHARACTERS + 1);
            return parse(new String(bytes, StandardCharsets.UTF_8), directory, problems);
        }
    }

    /// What a file with this text would say.
    ///
    /// @param directory that relative paths count from
    static Settings parse(String text, Path directory, Problems problems) {
        NodeFile file = new NodeFile(directory, problems);
        file.take("", "", "", YamlReader.read(text, problems));
        return new Settings(file.settings);
    }

    /// Keys with values.
    ///
    /// @param section its path with `*` for names
    /// @param shown its path as it is written
    /// @param name that was in it, if any
    private void take(String section, String shown, String name, Yaml.Mapping mapping) {
        Map<String, Position> seen = new HashMap<>();
        for (Yaml.Entry entry : mapping.entries()) {
            Position first = seen.putIfAbsent(entry.key(), entry.at());
            if (first != null) {
                problems.add(
                        entry.at(),
                        "'%s' stands in line %d already"
                                .formatted(join(shown, entry.key()), first.line()));
            } else {
                take(section, shown, name, entry);
            }
        }
    }

    private void take(String section, String shown, String name, Yaml.Entry entry) {
        String path = join(shown, entry.key());
        if (hasNames(section)) {
            List<String> names = NodeKeys.names(section);
            if (names.isEmpty() || names.contains(entry.key())) {
                takeNamed(join(section, "*"), path, entry);
            } else {
                problems.add(entry.at(), unknown(path, entry.key(), new TreeSet<>(names)));
            }
            return;
        }
        Optional<NodeKey<?>> key = key(join(section, entry.key()));
        if (key.isPresent()) {
            takeValues(key.get(), path, name, entry.value());
        } else if (words(join(section, entry.key())).isEmpty()) {
            problems.add(entry.at(), unknown(path, entry.key(), words(section)));
        } else {
            takeSection(join(section, entry.key()), path, name, entry.value());
        }
    }

    private void takeNamed(String section, String path, Yaml.Entry entry) {
        key(section)
                .ifPresent(
                        key -> addScalar(key, path, "", new Yaml.Scalar(entry.at(), entry.key())));
        takeSection(section, path, entry.key(), entry.value());
    }

    private void takeSection(String section, String path, String name, Yaml value) {
        if (value instanceof Yaml.Mapping mapping) {
            take(section, path, name, mapping);
        } else if (!(value instanceof Yaml.Scalar scalar && scalar.text().isEmpty())) {
            problems.add(
                    value.at(),
                    "'%s' is %s; valid: the keys %s"
                            .formatted(path, value.kind(), String.join(", ", words(section))));
        }
    }

    private void takeValues(NodeKey<?> key, String path, String name, Yaml value) {
        if (!key.isList()) {
            takeValue(key, path, name, value);
        } else if (value instanceof Yaml.Items list) {
            list.items().forEach(item -> takeValue(key, path, name, item));
        } else {
            problems.add(
                    value.at(),
                    "'%s' is %s; valid: a list, an item a line after '- ', of %s"
                            .formatted(path, value.kind(), key.type().valid()));
        }
    }

    private void takeValue(NodeKey<?> key, String path, String name, Yaml value) {
        if (value instanceof Yaml.Scalar scalar && !scalar.text().isEmpty()) {
            addScalar(key, path, name, scalar);
        } else {
            problems.add(
                    value.at(),
                    "'%s' is %s; valid: %s".formatted(path, value.kind(), key.type().valid()));
        }
    }

    private <T> void addScalar(NodeKey<T> key, String path, String name, Yaml.Scalar scalar) {
        try {
            String text =
                    key.type().isFile()
                            ? directory.resolve(scalar.text()).toString()
                            : scalar.text();
            T value = key.type().reader().apply(text);
            settings.add(new Setting<>(key, name, value, Optional.of(scalar.at())));
        } catch (TypeConversionException | IllegalArgumentException e) {
            problems.add(scalar.at(), "'%s': %s".formatted(path, e.getMessage()));
        }
    }

    private static String unknown(String path, String word, SortedSet<String> valid) {
        String meant = Words.didYouMean(word, valid);
        return "unknown key '%s'%s"
                .formatted(path, meant.isEmpty() ? "; valid: " + String.join(", ", valid) : meant);
    }

    private static boolean hasNames(String section) {
        return words(section).contains("*");
    }

    private static Optional<NodeKey<?>> key(String path) {
        return NodeKeys.ALL.stream().filter(key -> key.path().equals(path)).findFirst();
    }

    /// What may stand in a section.
    private static SortedSet<String> words(String section) {
        SortedSet<String> words = new TreeSet<>();
        String before = section.isEmpty() ? "" : section + ".";
        for (NodeKey<?> key : NodeKeys.ALL) {
            if (key.path().startsWith(before)) {
                words.add(key.path().substring(before.length()).split("\\.")[0]);
            }
        }
        return words;
    }

    private static String join(String section, String word) {
        return section.isEmpty() ? word : section + "." + word;
    }
}
