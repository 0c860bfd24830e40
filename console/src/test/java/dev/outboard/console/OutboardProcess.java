package dev.outboard.console;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `outboard …` as a process of its own, on the class path of the tests. Nothing waits longer than
/// a minute. Closing it kills it, and whatever it has started, by handle.
public final class OutboardProcess implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String READY = "ready at (\\S+):(\\d+), .*";

    private final Process process;
    private final Output out;
    private final Output err;

    private OutboardProcess(Process process) {
        this.process = process;
        out = new Output(process.inputReader());
        err = new Output(process.errorReader());
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
            return new OutboardProcess(program.start());
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
        return await(out, regex);
    }

    /// The first line on standard error that matches, present or future.
    public Matcher awaitErrorLine(String regex) {
        return await(err, regex);
    }

    private Matcher await(Output output, String regex) {
        return output.await(Pattern.compile(regex))
                .orElseThrow(() -> new AssertionError("no line '" + regex + "' in time:\n" + this));
    }

    /// How it ended, after everything it printed was read.
    public Execution awaitEnd() {
        try {
            if (!process.waitFor(LIMIT)) {
                throw new AssertionError("still running after " + LIMIT + ":\n" + this);
            }
            return new Execution(process.exitValue(), out.awaitAll(), err.awaitAll());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The operating system's handle.
    public ProcessHandle handle() {
        return process.toHandle();
    }

    @Override
    public void close() {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(handle -> handle.onExit().join());
    }

    @Override
    public String toString() {
        return "standard output:\n" + out + "standard error:\n" + err;
    }

    /// The lines of one stream as they come.
    private static final class Output {
        private final List<String> lines = new ArrayList<>();
        private final Thread reader;
        private boolean ended;

        Output(BufferedReader input) {
            reader = Thread.ofVirtual().start(() -> read(input));
        }

        private void read(BufferedReader input) {
            try (input) {
                for (String line = input.readLine(); line != null; line = input.readLine()) {
                    add(line);
                }
            } catch (IOException e) {
                add("(" + e + ")");
            }
            end();
        }

        private synchronized void add(String line) {
            lines.add(line);
            notifyAll();
        }

        private synchronized void end() {
            ended = true;
            notifyAll();
        }

        synchronized Optional<Matcher> await(Pattern pattern) {
            long deadline = System.nanoTime() + LIMIT.toNanos();
            int seen = 0;
            while (true) {
                for (; seen < lines.size(); seen++) {
                    Matcher matcher = pattern.matcher(lines.get(seen));
                    if (matcher.matches()) {
                        return Optional.of(matcher);
                    }
                }
                long millis = (deadline - System.nanoTime()) / 1_000_000;
                if (ended || millis <= 0) {
                    return Optional.empty();
                }
                try {
                    wait(millis);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        String awaitAll() throws InterruptedException {
            reader.join(LIMIT);
            return toString();
        }

        @Override
        public synchronized String toString() {
            StringBuilder text = new StringBuilder();
            lines.forEach(line -> text.append(line).append(System.lineSeparator()));
            return text.toString();
        }
    }
}
