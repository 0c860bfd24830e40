package dev.outboard.console.demo;

import dev.outboard.terminal.CommandException;
import dev.outboard.terminal.ShutdownHook;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An accelerator node in a process of its own: `outboard naa serve`, run by the Java that runs
/// this process. The node ends when its standard input does, so it cannot outlive this process,
/// however this process ends; [#close] ends it in order and, if that takes too long, by force.
final class NodeProcess implements AutoCloseable {
    /// A function in SystemVerilog is compiled when it is wanted first.
    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private static final Duration END_LIMIT = Duration.ofSeconds(5);
    private static final String ABOUT_TARGETS = "edges on target ";
    private static final Pattern READY = Pattern.compile("ready at (\\S+):(\\d+),.*");
    private static final String MAIN_CLASS = "dev.outboard.console.Main";
    private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");
    private static final int SIGNALLED = 128;

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private final CompletableFuture<Matcher> ready = new CompletableFuture<>();
    private final Thread reader;
    private final ShutdownHook killer;

    private NodeProcess(Process process) {
        this.process = process;
        reader = Thread.ofPlatform().daemon().name("node-output").start(this::readLines);
        killer = new ShutdownHook("node-killer", process::destroyForcibly);
    }

    /// Starts a node on a free loopback address and waits until it is ready.
    ///
    /// @param options further words for `outboard naa serve`
    /// @throws CommandException if it does not get ready
    static NodeProcess start(List<String> options) throws IOException {
        List<String> words = new ArrayList<>(java());
        words.addAll(List.of("naa", "serve", "--bind", "auto", "--port", "0", "--while-stdin"));
        words.addAll(options);
        NodeProcess node =
                new NodeProcess(new ProcessBuilder(words).redirectErrorStream(true).start());
        try {
            node.awaitReady();
            return node;
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    /// The address it serves.
    String host() {
        return ready.join().group(1);
    }

    /// The port it serves.
    int port() {
        return Integer.parseInt(ready.join().group(2));
    }

    /// What it has said last about where edges are found, if anything.
    Optional<String> target() {
        synchronized (lines) {
            return lines.reversed().stream()
                    .filter(line -> line.startsWith(ABOUT_TARGETS))
                    .findFirst();
        }
    }

    /// The operating system's number of the process.
    long pid() {
        return process.pid();
    }

    /// What it has used of the processors so far.
    Duration processorTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /// Runs `action` when the process has ended, for whatever reason.
    void whenEnded(Runnable action) {
        CompletableFuture<Void> _ = process.onExit().thenRun(action);
    }

    /// How it ended; empty if it has not within `limit`.
    Optional<String> death(Duration limit) {
        try {
            if (!process.waitFor(limit)) {
                return Optional.empty();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        int code = process.exitValue();
        return Optional.of(
                code > SIGNALLED
                        ? "was killed by signal " + (code - SIGNALLED)
                        : "ended with exit code " + code);
    }

    /// Ends the process if it runs.
    ///
    /// @return what it printed
    List<String> end() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(END_LIMIT)) {
                process.destroyForcibly().waitFor();
            }
            reader.join(END_LIMIT);
        } catch (IOException _) {
            process.destroyForcibly();
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    @Override
    public void close() {
        end();
        killer.close();
    }

    private void awaitReady() {
        try {
            ready.get(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new CommandException(
                    "the node did not get ready within " + START_LIMIT.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw new CommandException("the node did not start: " + lastLine(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted while the node started", e);
        }
    }

    private String lastLine() {
        synchronized (lines) {
            return lines.isEmpty() ? "it printed nothing" : lines.getLast();
        }
    }

    private void readLines() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                Matcher matcher = READY.matcher(line);
                if (matcher.matches()) {
                    ready.complete(matcher);
                }
                synchronized (lines) {
                    lines.add(line);
                }
            }
        } catch (IOException _) {
            // The process was ended by force: there is nothing more to read.
        }
        ready.completeExceptionally(new IOException("the node has ended"));
    }

    /// The command that started this process, up to the class, so that the node starts as fast; in
    /// a process that something else has started, one from its class path.
    private static List<String> java() throws IOException {
        List<String> started = List.of(Files.readString(COMMAND_LINE).split("\0"));
        int end = 1;
        for (String word : started) {
            if (word.endsWith(MAIN_CLASS)) {
                return started.subList(0, end);
            }
            end++;
        }
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--class-path",
                System.getProperty("java.class.path"),
                MAIN_CLASS);
    }
}
