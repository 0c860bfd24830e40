package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// A work in a program of its own, which measures itself. Its result is as if it had executed the
/// instructions of RISC-V, whatever it has executed.
final class CpuPeer implements Contender {
    private final String name;
    private final int work;
    private final Supplier<List<String>> program;

    /// @param program the command that runs it
    CpuPeer(String name, int work, Supplier<List<String>> program) {
        this.name = name;
        this.work = work;
        this.program = program;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double measure(Duration time) {
        List<String> command = new ArrayList<>(program.get());
        command.add(Integer.toString(work));
        command.add(Long.toString(Math.max(1, time.toMillis())));
        String[] lines = output(command).strip().split("\n", -1);
        double rounds = Double.parseDouble(lines[0]);
        double nanos = Double.parseDouble(lines[1]);
        return CpuProcess.instructions(work) * rounds * 1e9 / nanos;
    }

    /// What a command prints.
    ///
    /// @throws MeasurementException if it is not installed, or fails
    static String output(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).start();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                throw new MeasurementException(
                        "%s ended with %d".formatted(command.getFirst(), status));
            }
            return output;
        } catch (IOException e) {
            throw new MeasurementException(e.toString());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new MeasurementException(command.getFirst() + " was interrupted");
        }
    }
}
