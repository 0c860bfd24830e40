package dev.outboard.testkit;

import java.io.BufferedReader;
import java.io.IOException;
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

/// A program that a test has started, and its output so far. Methods may be called from any thread.
/// Closing it kills it, and whatever it has started, by handle.
public final class RunningProgram implements AutoCloseable {
    private final String name;
    private final Process process;
    private final Output out;
    private final Output err;

    /// @param name what failures call it
    public RunningProgram(String name, Process process) {
        this.name = name;
        this.process = process;
        out = new Output(process.inputReader());
        err = new Output(process.errorReader());
    }

    /// The first line on standard output that is a match of `regex`, present or future.
    ///
    /// @throws AssertionError if the program ends, or `limit` passes, without
    public Matcher awaitLine(String regex, Duration limit) {
        return await(out, regex, limit);
    }

    /// The same on standard error.
    public Matcher awaitErrorLine(String regex, Duration limit) {
        return await(err, regex, limit);
    }

    private Matcher await(Output output, String regex, Duration limit) {
        return output.await(Pattern.compile(regex), limit)
                .orElseThrow(() -> new AssertionError("no line '" + regex + "' from " + this));
    }

    /// Waits at most `limit` for the end of the program and of its output.
    ///
    /// @return whether it has ended
    public boolean ends(Duration limit) {
        try {
            return process.waitFor(limit) && out.reader.join(limit) && err.reader.join(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// Waits at most `limit` until one of two programs has ended.
    public static void awaitFirstEnd(Duration limit, RunningProgram one, RunningProgram other) {
        try {
            CompletableFuture.anyOf(one.process.onExit(), other.process.onExit())
                    .get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // Neither has ended: the caller looks at each anyway.
        }
    }

    /// Whether it has ended with another exit code than 0.
    public boolean hasFailed() {
        return !process.isAlive() && process.exitValue() != 0;
    }

    /// How it has ended.
    public int exitCode() {
        return process.exitValue();
    }

    /// What it has printed on standard output so far.
    public String output() {
        return out.toString();
    }

    /// What it has printed on standard error so far.
    public String errors() {
        return err.toString();
    }

    /// The operating system's handle.
    public ProcessHandle handle() {
        return process.toHandle();
    }

    @Override
    public void close() {
        kill();
    }

    /// Kills it now, whatever it does: it gets no time to end in order.
    public void kill() {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(handle -> handle.onExit().join());
    }

    @Override
    public String toString() {
        String end = process.isAlive() ? "still running" : "exit code " + process.exitValue();
        return "%s%n%s%nstandard output:%n%sstandard error:%n%s".formatted(name, end, out, err);
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

        synchronized Optional<Matcher> await(Pattern pattern, Duration limit) {
            long deadline = System.nanoTime() + limit.toNanos();
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
                    Thread.currentThread().interrupt();
                    return Optional.empty();
                }
            }
        }

        @Override
        public synchronized String toString() {
            StringBuilder text = new StringBuilder();
            lines.forEach(line -> text.append(line).append(System.lineSeparator()));
            return text.toString();
        }
    }
}
