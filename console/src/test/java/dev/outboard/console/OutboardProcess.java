package dev.outboard.console;

import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;

/// `outboard …` as a process of its own, on the class path of the tests. Closing it kills it, and
/// whatever it has started, by handle.
public final class OutboardProcess implements AutoCloseable {
    /// Only what hangs takes so long: a demo takes more than a minute beside sixteen busy programs.
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final String READY = "ready at (\\S+):(\\d+), .*";

    private final RunningProgram program;

    private OutboardProcess(RunningProgram program) {
        this.program = program;
    }

    /// Starts it in the directory of the test.
    public static OutboardProcess start(String... words) {
        return startIn(Path.of(""), words);
    }

    /// Starts it in `directory`.
    public static OutboardProcess startIn(Path directory, String... words) {
        List<String> command = new ArrayList<>(command());
        command.addAll(List.of(words));
        return ofProgram(
                new ProcessBuilder(command).directory(directory.toAbsolutePath().toFile()));
    }

    /// Starts another program that a test of the command needs.
    public static OutboardProcess ofProgram(ProcessBuilder program) {
        try {
            return new OutboardProcess(
                    new RunningProgram(String.join(" ", program.command()), program.start()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The words that start `outboard`, without its own.
    public static List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-ea",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--class-path",
                System.getProperty("java.class.path"),
                Main.class.getName());
    }

    /// A node on a free loopback address, ready.
    public static OutboardProcess node(String... options) {
        List<String> words =
                new ArrayList<>(List.of("naa", "serve", "--bind", "auto", "--port", "0"));
        words.addAll(List.of(options));
        OutboardProcess node = start(words.toArray(String[]::new));
        node.awaitLine(READY);
        return node;
    }

    /// A client that calls a function of this node, which is ready.
    public OutboardProcess call(int function, String... options) {
        List<String> words = new ArrayList<>(List.of("naa", "call", address()));
        words.addAll(List.of("--function", String.valueOf(function)));
        words.addAll(List.of(options));
        return start(words.toArray(String[]::new));
    }

    /// `ADDR:PORT` of a node that is ready.
    public String address() {
        Matcher ready = awaitLine(READY);
        return ready.group(1) + ":" + ready.group(2);
    }

    /// `ADDR` of a node that is ready.
    public String host() {
        return awaitLine(READY).group(1);
    }

    /// The first line on standard output that matches, present or future.
    public Matcher awaitLine(String regex) {
        return program.awaitLine(regex, LIMIT);
    }

    /// The first line on standard error that matches, present or future.
    public Matcher awaitErrorLine(String regex) {
        return program.awaitErrorLine(regex, LIMIT);
    }

    /// How it ended, after everything it printed was read.
    public Execution awaitEnd() {
        if (!program.ends(LIMIT)) {
            throw new AssertionError("no end after " + LIMIT + ": " + program);
        }
        return new Execution(program.exitCode(), program.output(), program.errors());
    }

    /// The operating system's handle.
    public ProcessHandle handle() {
        return program.handle();
    }

    @Override
    public void close() {
        program.close();
    }

    @Override
    public String toString() {
        return program.toString();
    }
}
