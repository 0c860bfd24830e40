package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A floor written in C, compiled once with the machine's compiler.
public final class CFloor implements Contender {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final String name;
    private final Program program;
    private final List<String> arguments;

    /// The compiled program, shared by its modes; made again when used after it was closed.
    public static final class Program implements AutoCloseable {
        private final Path source;
        private final String compiler;
        private final String libraries;
        private Path executable = Path.of("");

        private Program(Path source, String compiler, String libraries) {
            this.source = source;
            this.compiler = compiler;
            this.libraries = libraries;
        }

        /// The floor of the fabric, in C.
        static Program fabric(Home home) {
            return new Program(home.floorSource(), "gcc", "");
        }

        /// The loop around a Verilated AFU, in C++.
        public static Program afuLoop() {
            return new Program(Home.here().afuLoopSource(), "g++", " -ldl");
        }

        /// The command that would make it available; empty if it is.
        public String remedy() {
            if (!Files.isReadable(source)) {
                return "run ./outboard in a source tree";
            }
            return Home.program(compiler).isPresent()
                    ? ""
                    : "apt-get install " + compiler + " libc6-dev";
        }

        private Path compiled() {
            if (executable.toString().isEmpty()) {
                try {
                    executable = Files.createTempFile("outboard-floor-", "");
                } catch (IOException e) {
                    throw new MeasurementException(e.toString());
                }
                String command =
                        "%s -O2 -march=native -o %s %s%s"
                                .formatted(compiler, executable, source, libraries);
                try (ProgramRun run = new ProgramRun(List.of(command.split(" ")), Map.of())) {
                    run.output(PATIENCE);
                }
            }
            return executable;
        }

        @Override
        public void close() {
            try {
                if (!executable.toString().isEmpty()) {
                    Files.deleteIfExists(executable);
                    executable = Path.of("");
                }
            } catch (IOException e) {
                throw new MeasurementException(e.toString());
            }
        }
    }

    /// A mode of a program, which prints one number.
    public CFloor(String name, Program program, String... arguments) {
        this.name = name;
        this.program = program;
        this.arguments = List.of(arguments);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String remedy() {
        return program.remedy();
    }

    @Override
    public double measure(Duration time) {
        List<String> command = new ArrayList<>(arguments);
        command.addFirst(program.compiled().toString());
        command.add(String.valueOf(time.toMillis()));
        try (ProgramRun run = new ProgramRun(command, Map.of())) {
            String output = run.output(time.plus(PATIENCE)).strip();
            return Double.parseDouble(output);
        } catch (NumberFormatException e) {
            throw new MeasurementException("the floor in C printed no number");
        }
    }

    @Override
    public void close() {
        program.close();
    }
}
