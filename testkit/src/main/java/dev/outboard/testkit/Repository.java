package dev.outboard.testkit;

import java.nio.file.Files;
import java.nio.file.Path;

/// The source tree that the tests run in.
public final class Repository {
    private Repository() {}

    /// The root: the nearest directory, from the working directory upwards, that holds the
    /// requirement catalogs.
    public static Path root() {
        Path start = Path.of("").toAbsolutePath();
        for (Path at = start; at != null; at = at.getParent()) {
            if (Files.isDirectory(at.resolve("spec/golden"))) {
                return at;
            }
        }
        throw new IllegalStateException(
                "no directory above " + start + " holds spec/golden: run tests in a module");
    }
}
