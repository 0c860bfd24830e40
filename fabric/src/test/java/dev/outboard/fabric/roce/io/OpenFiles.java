package dev.outboard.fabric.roce.io;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/// The sockets and eventfds that this process has open, each by a name that no other has.
final class OpenFiles {
    private final Set<String> before = now();

    /// Those that are open now and were not when this object was made. What others close meanwhile
    /// does not matter.
    Set<String> opened() {
        Set<String> opened = now();
        opened.removeAll(before);
        return opened;
    }

    private static Set<String> now() {
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path link : links) {
                String name = name(link);
                if (name.startsWith("socket:") || name.startsWith("eventfd-id:")) {
                    names.add(name);
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return names;
    }

    private static String name(Path link) {
        try {
            String target = Files.readSymbolicLink(link).toString();
            return target.contains("[eventfd]") ? eventId(link) : target;
        } catch (IOException e) {
            return "closed since";
        }
    }

    private static String eventId(Path link) throws IOException {
        Path info = Path.of("/proc/self/fdinfo").resolve(link.getFileName());
        try (Stream<String> lines = Files.lines(info)) {
            return lines.filter(line -> line.startsWith("eventfd-id:")).findFirst().orElseThrow();
        }
    }
}
