package dev.outboard.console.node;

import dev.outboard.terminal.CommandException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// What is wrong with a node file: everything, as far as it is not too much. What is wrong with an
/// option is a [CommandException] at once.
final class Problems {
    private static final int MOST = 100;

    private record Problem(Position at, String text) {}

    private final Path file;
    private final List<Problem> all = new ArrayList<>();

    Problems(Path file) {
        this.file = file;
    }

    /// Something at a place of the file.
    void add(Position at, String text) {
        all.add(new Problem(at, text));
    }

    /// Something about what was set.
    ///
    /// @throws CommandException if it was set by an option
    void add(Setting<?> setting, String text) {
        add(
                setting.at()
                        .orElseThrow(
                                () -> new CommandException(setting.key().option() + ": " + text)),
                text);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /// A line for each, `FILE:LINE:COLUMN: TEXT`, in the order of the file.
    List<String> lines() {
        List<String> lines =
                all.stream()
                        .sorted(
                                Comparator.comparingInt((Problem one) -> one.at().line())
                                        .thenComparingInt(one -> one.at().column()))
                        .limit(MOST)
                        .map(one ->
                                "%s:%d:%d: %s"
                                        .formatted(
                                                file,
                                                one.at().line(),
                                                one.at().column(),
                                                one.text()))
                        .toList();
        if (all.size() <= MOST) {
            return lines;
        }
        List<String> some = new ArrayList<>(lines);
        some.add("%s: %d more".formatted(file, all.size() - MOST));
        return some;
    }
}
