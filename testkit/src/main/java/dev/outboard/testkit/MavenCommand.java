package dev.outboard.testkit;

import java.nio.file.Path;

/// The command that runs some tests of the module under test alone.
final class MavenCommand {
    private MavenCommand() {}

    /// Runs `tests`, in the form that Maven knows, with one more argument.
    static String of(String tests, String argument) {
        return "./outboard test -pl "
                + module()
                + " -am -Dtest="
                + tests
                + " -Dsurefire.failIfNoSpecifiedTests=false "
                + argument;
    }

    /// Maven runs the tests of a module in its directory.
    private static Path module() {
        return Repository.root().relativize(Path.of("").toAbsolutePath());
    }
}
