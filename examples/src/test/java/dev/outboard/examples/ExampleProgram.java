package dev.outboard.examples;

import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// An example as its users run it: a process of its own.
public final class ExampleProgram {
    private ExampleProgram() {}

    /// Starts an example with those words.
    public static RunningProgram start(Class<?> example, String... words) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "-XX:+UseSerialGC",
                                "--enable-native-access=ALL-UNNAMED",
                                "--class-path",
                                System.getProperty("java.class.path"),
                                example.getName()));
        command.addAll(List.of(words));
        return new RunningProgram(example.getSimpleName(), new ProcessBuilder(command).start());
    }
}
