package dev.outboard.fabric.roce.io;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What this process has open.
final class OpenFiles {
    private OpenFiles() {}

    /// Its sockets and eventfds, as `/proc` calls them, in order.
    static List<String> socketsAndEvents() {
        List<String> targets = new ArrayList<>();
        try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path link : links) {
                targets.add(target(link));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return targets.stream()
                .filter(target -> target.startsWith("socket:") || target.contains("[eventfd]"))
                .sorted()
                .toList();
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "closed since";
        }
    }
}
