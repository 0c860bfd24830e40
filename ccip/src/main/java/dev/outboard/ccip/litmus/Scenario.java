package dev.outboard.ccip.litmus;

import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Profile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/// A litmus test: what an AFU and threads of the processor do to a few lines of memory, and which
/// outcomes that has to have and must not have. Immutable.
public final class Scenario {
    private final String name;
    private final String title;
    private final List<String> program;
    private final List<AfuStep> afu;
    private final List<List<CpuStep>> threads;
    private final List<String> variables;
    private final List<Integer> lines;
    private final List<String> registers;
    private final List<Expectation> expectations;

    Scenario(ScenarioReader from) {
        name = from.name;
        title = from.title;
        program = List.copyOf(from.program);
        afu = List.copyOf(from.afu);
        threads = List.copyOf(from.threads);
        variables = List.copyOf(from.lines.keySet());
        lines = List.copyOf(from.lines.values());
        registers = List.copyOf(from.registers);
        expectations = List.copyOf(from.expectations);
    }

    /// All scenarios there are, in their order: the file `scenarios.txt` of this package, which
    /// explains how they are written.
    public static List<Scenario> all() {
        try (InputStream in = Scenario.class.getResourceAsStream("scenarios.txt")) {
            byte[] bytes = Objects.requireNonNull(in, "scenarios.txt").readAllBytes();
            return ScenarioReader.read(new String(bytes, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Its name, such as `LIT-20`.
    public String name() {
        return name;
    }

    /// What it is about.
    public String title() {
        return title;
    }

    /// The programs, as they are written, a line each.
    public List<String> program() {
        return program;
    }

    /// What is expected on a platform by a memory model.
    public List<Expectation> expectations(Profile profile, MemoryModel model) {
        return expectations.stream()
                .filter(expected -> expected.links().fits(profile))
                .filter(expected -> expected.models().contains(model))
                .toList();
    }

    /// The interrupts that the AFU sends.
    List<Integer> interrupts() {
        return afu.stream()
                .filter(AfuStep.Interrupt.class::isInstance)
                .map(step -> ((AfuStep.Interrupt) step).id())
                .toList();
    }

    List<AfuStep> afu() {
        return afu;
    }

    List<List<CpuStep>> threads() {
        return threads;
    }

    /// The names of the variables.
    List<String> variables() {
        return variables;
    }

    /// The line of each variable.
    List<Integer> lines() {
        return lines;
    }

    List<String> registers() {
        return registers;
    }

    /// Whether an expectation on any platform speaks of this name.
    boolean expects(String observed) {
        return expectations.stream()
                .flatMap(expected -> expected.values().stream())
                .anyMatch(value -> value.startsWith(observed + "="));
    }

    @Override
    public String toString() {
        return name;
    }
}
