package dev.outboard.console.node;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/// What a node file and the options say.
record Settings(List<Setting<?>> all) {
    Settings {
        all = List.copyOf(all);
    }

    /// These, and those of `others` that these do not say.
    Settings over(Settings others) {
        Stream<Setting<?>> kept =
                others.all.stream()
                        .filter(other -> all.stream().noneMatch(one -> isSame(one, other)));
        return new Settings(Stream.concat(all.stream(), kept).toList());
    }

    private static boolean isSame(Setting<?> one, Setting<?> other) {
        return one.key().equals(other.key()) && one.name().equals(other.name());
    }

    /// What this key was set to, whatever the names.
    @SuppressWarnings("unchecked")
    <T> List<Setting<T>> of(NodeKey<T> key) {
        return all.stream()
                .filter(setting -> setting.key().equals(key))
                .map(setting -> (Setting<T>) setting)
                .toList();
    }

    /// What this key was set to for this name.
    <T> List<Setting<T>> of(NodeKey<T> key, String name) {
        return of(key).stream().filter(setting -> setting.name().equals(name)).toList();
    }

    /// What this key without a name was set to.
    <T> Optional<Setting<T>> find(NodeKey<T> key) {
        return of(key).stream().findFirst();
    }

    /// The value of this key without a name.
    <T> T value(NodeKey<T> key, T standard) {
        return find(key).map(Setting::value).orElse(standard);
    }

    /// The paths of keys of `keys` that others say differently.
    SortedSet<String> differences(Settings others, List<NodeKey<?>> keys) {
        SortedSet<String> paths = new TreeSet<>();
        for (NodeKey<?> key : keys) {
            if (!values(key).equals(others.values(key))) {
                paths.add(key.path());
            }
        }
        return paths;
    }

    private List<Object> values(NodeKey<?> key) {
        return of(key).stream().<Object>map(Setting::value).toList();
    }
}
