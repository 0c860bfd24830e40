package dev.outboard.console;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.spi.ToolProvider;

/// What a clone has once it is built, made of what the test runs from.
public final class ClonedLauncher {
    private ClonedLauncher() {}

    /// Makes a command `outboard`.
    public static void makeIn(Path clone) throws IOException {
        Path outboard = clone.resolve("outboard");
        Files.writeString(
                outboard,
                """
                #!/bin/sh
                case "$1" in java|javac|jar) tool=$1; shift; exec %s/bin/$tool "$@";; esac
                exec %s "$@"
                """
                        .formatted(
                                System.getProperty("java.home"),
                                String.join(" ", OutboardProcess.command())));
        Files.setPosixFilePermissions(outboard, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /// Makes the directory of modules that the launcher builds.
    public static void makeAppIn(Path clone) throws IOException {
        Path app = Files.createDirectories(clone.resolve("console/target/app"));
        List<String> path =
                Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
        for (int i = 0; i < path.size(); i++) {
            Path entry = Path.of(path.get(i)).toAbsolutePath();
            Path jar = app.resolve(i + ".jar");
            if (Files.isRegularFile(entry)) {
                Files.createSymbolicLink(jar, entry);
            } else if (Files.isDirectory(entry)) {
                ToolProvider.findFirst("jar")
                        .orElseThrow()
                        .run(
                                System.out,
                                System.err,
                                "cf",
                                jar.toString(),
                                "-C",
                                entry.toString(),
                                ".");
            }
        }
    }
}
