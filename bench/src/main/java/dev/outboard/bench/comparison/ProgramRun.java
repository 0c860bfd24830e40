package dev.outboard.bench.comparison;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Another program that is running: its output line by line, and its end. Closing ends it, and what
/// it started.
public final class ProgramRun implements AutoCloseable {
    private static final int MAX_LINES = 10_000;
    private static final long END_MILLIS = 2_000;

    private final String command;
    private final Process process;
    private final PrintWriter input;
    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>(MAX_LINES);
    private final StringBuilder seen = new StringBuilder();

    /// Starts it.
    public ProgramRun(List<String> command, Map<String, String> environment) {
        this.command = String.join(" ", command);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new MeasurementException(e.toString());
        }
        input = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        Thread.ofVirtual().start(this::read);
    }

    /// Writes a line to its input.
    public void tell(String line) {
        input.println(line);
    }

    /// The next line that contains `wanted`.
    ///
    /// @throws MeasurementException if the program ends before it, or `limit` passes
    public String await(String wanted, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            String line = next(deadline).orElseThrow(() -> failure("ended"));
            if (line.contains(wanted)) {
                return line;
            }
        }
    }

    /// Everything it prints until it ends.
    public String output(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (next(deadline).isPresent()) {
            // Collected as it comes.
        }
        return seen.toString();
    }

    private Optional<String> next(long deadline) {
        try {
            Optional<String> line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw failure("took too long");
            }
            line.ifPresent(text -> seen.append(text).append('\n'));
            return line;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw failure("was interrupted");
        }
    }

    private void read() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.put(Optional.of(line));
            }
        } catch (IOException _) {
            // It was ended.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            lines.add(Optional.empty());
        }
    }

    private MeasurementException failure(String what) {
        String last = seen.toString().strip();
        return new MeasurementException(
                command + " " + what + (last.isEmpty() ? "" : ": " + lastLine(last)));
    }

    private static String lastLine(String text) {
        return text.substring(text.lastIndexOf('\n') + 1);
    }

    @Override
    public void close() {
        // First in peace: some have files to delete.
        List<ProcessHandle> started = process.descendants().toList();
        started.forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            process.waitFor(END_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        started.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
