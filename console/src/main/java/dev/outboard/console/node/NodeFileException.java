package dev.outboard.console.node;

import java.nio.file.Path;
import java.util.List;

/// A node file is wrong. The message tells the first reason.
public final class NodeFileException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> lines;

    NodeFileException(Path file, List<String> lines) {
        super(
                lines.size() == 1
                        ? lines.getFirst()
                        : "%s (%d more: 'outboard node check %s' lists them)"
                                .formatted(lines.getFirst(), lines.size() - 1, file));
        this.lines = List.copyOf(lines);
    }

    /// A line for each thing that is wrong, with its place.
    public List<String> lines() {
        return lines;
    }
}
