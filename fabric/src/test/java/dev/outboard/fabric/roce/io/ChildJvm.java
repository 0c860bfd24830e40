package dev.outboard.fabric.roce.io;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Programs of the tests that run in a process of their own: with another user or another network.
final class ChildJvm {
    private static final long PATIENCE_SECONDS = 60;

    private ChildJvm() {}

    /// How to start `main` of a test class, given where classes are.
    static List<String> command(Class<?> main, String classPath) {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return List.of(
                java.toString(),
                "-ea",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath,
                main.getName());
    }

    /// The class path that finds all of `classes`.
    static String classPathOf(Class<?>... classes) {
        return Arrays.stream(classes)
                .map(type -> location(type).toString())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    /// The directory or archive that a class comes from.
    static Path location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /// The lines that a program printed, if it ended well.
    static List<String> run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(command + " does not end; it said " + output);
        }
        if (process.exitValue() != 0) {
            throw new AssertionError(
                    command + " ended with " + process.exitValue() + ":\n" + output);
        }
        return output.lines().toList();
    }

    /// Skips the test when a program cannot be run here.
    static void assume(List<String> command, String reason) throws InterruptedException {
        try {
            run(command);
        } catch (IOException | AssertionError e) {
            assumeTrue(false, reason + ": " + e.getMessage());
        }
    }

    static List<String> join(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
