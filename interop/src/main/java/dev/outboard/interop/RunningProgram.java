package dev.outboard.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/// A program that was started, here or in the guest, and its output so far. Closing it ends it, and
/// whatever it has started here, by handle; a command in the guest ends with the program that
/// carries its output.
public final class RunningProgram implements AutoCloseable {
    private final String command;
    private final Process process;
    private final Output out;
    private final Output err;

    RunningProgram(String command, Process process) {
        this.command = command;
        this.process = process;
        out = new Output(process.inputReader());
        err = new Output(process.errorReader());
    }

    /// Waits for the first line on standard output that contains a match of `regex`.
    ///
    /// @throws IllegalStateException if the program ends, or `limit` passes, without
    public void awaitLine(String regex, Duration limit) {
        if (!out.await(Pattern.compile(regex), limit)) {
            throw new IllegalStateException("no line '" + regex + "' from " + this);
        }
    }

    /// Waits at most `limit` for the end of the program and of its output.
    ///
    /// @return whether it has ended
    public boolean ends(Duration limit) {
        try {
            if (!process.waitFor(limit)) {
                return false;
            }
            out.reader.join(limit);
            err.reader.join(limit);
            return true;
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

    /// What it has printed on standard output so far.
    public String output() {
        return out.toString();
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
        String end = process.isAlive() ? "still running" : "exit code " + process.exitValue();
        return "%s%n%s%nstandard output:%n%sstandard error:%n%s".formatted(command, end, out, err);
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

        synchronized boolean await(Pattern pattern, Duration limit) {
            long deadline = System.nanoTime() + limit.toNanos();
            int seen = 0;
            while (true) {
                for (; seen < lines.size(); seen++) {
                    if (pattern.matcher(lines.get(seen)).find()) {
                        return true;
                    }
                }
                long millis = (deadline - System.nanoTime()) / 1_000_000;
                if (ended || millis <= 0) {
                    return false;
                }
                try {
                    wait(millis);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
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
