package dev.outboard.ccip.litmus;

import dev.outboard.ccip.platform.MemoryModel;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads scenarios from text, one after the other. The head of `scenarios.txt` says how they are
/// written.
final class ScenarioReader {
    /// A request of several lines begins at a multiple of as many lines.
    private static final int ALIGNMENT = 4;

    private static final Pattern WRITE = Pattern.compile("W\\[(\\w+)] ([A-Z](?:,[A-Z])*)=(\\d+)");
    private static final Pattern READ =
            Pattern.compile("([a-z](?:,[a-z])*)=R\\[(\\w+)] ([A-Z](?:,[A-Z])*)");
    private static final Pattern FENCE = Pattern.compile("fence\\[(\\w+)]");
    private static final Pattern INTERRUPT = Pattern.compile("interrupt ([0-3])");
    private static final Pattern STORE = Pattern.compile("([A-Z])=(\\d+)");
    private static final Pattern LOAD = Pattern.compile("([a-z])=([A-Z])");
    private static final Pattern EXCHANGE = Pattern.compile("([a-z])=exchange ([A-Z]) (\\d+)");
    private static final Pattern AWAIT = Pattern.compile("await ([A-Z])=(\\d+)");
    private static final Pattern INTERRUPTED = Pattern.compile("([a-z])=interrupt ([0-3])");
    private static final Pattern AWAIT_INTERRUPT = Pattern.compile("await interrupt ([0-3])");
    private static final Pattern EXPECTATION =
            Pattern.compile(
                    "([^(]*?)(?: \\((one link|several links)\\))?(?: \\((manual|measured)\\))?");

    final String name;
    final String title;
    final List<String> program = new ArrayList<>();
    final List<AfuStep> afu = new ArrayList<>();
    final List<List<CpuStep>> threads = new ArrayList<>();
    final Map<String, Integer> lines = new LinkedHashMap<>();
    final List<String> registers = new ArrayList<>();
    final List<Expectation> expectations = new ArrayList<>();
    private int nextLine;
    private int anys;

    private ScenarioReader(String name, String title) {
        this.name = name;
        this.title = title;
    }

    /// @throws IllegalArgumentException if the text cannot be understood; it names the line
    static List<Scenario> read(String text) {
        List<ScenarioReader> all = new ArrayList<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] words = line.split("\\s+", 2);
            try {
                readLine(all, words[0], words.length == 1 ? "" : words[1].strip());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("Line " + number + ": " + e.getMessage(), e);
            }
        }
        return all.stream().map(Scenario::new).toList();
    }

    private static void readLine(List<ScenarioReader> all, String key, String rest) {
        boolean within = List.of("AFU", "CPU", "allowed", "forbidden").contains(key);
        if (!within) {
            all.add(new ScenarioReader(key, rest));
            return;
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException("'" + key + "' before the name of a scenario");
        }
        ScenarioReader scenario = all.getLast();
        switch (key) {
            case "AFU" -> scenario.readAfu(rest);
            case "CPU" -> scenario.readThread(rest);
            default -> scenario.readExpectation(key.equals("allowed"), rest);
        }
    }

    private void readAfu(String text) {
        program.add("AFU  " + text);
        for (String step : text.split("; *")) {
            afu.add(afuStep(step));
        }
    }

    private AfuStep afuStep(String step) {
        Matcher write = WRITE.matcher(step);
        if (write.matches()) {
            String[] names = write.group(2).split(",");
            long value = Long.parseLong(write.group(3));
            return new AfuStep.Write(channel(write.group(1)), lines(names), names.length, value);
        }
        Matcher read = READ.matcher(step);
        if (read.matches()) {
            String[] into = read.group(1).split(",");
            String[] names = read.group(3).split(",");
            if (into.length != names.length) {
                throw new IllegalArgumentException(
                        "'" + step + "' needs as many registers as lines");
            }
            int register = registers.size();
            List.of(into).forEach(this::register);
            return new AfuStep.Read(channel(read.group(2)), lines(names), names.length, register);
        }
        Matcher fence = FENCE.matcher(step);
        if (fence.matches()) {
            return new AfuStep.Fence(channel(fence.group(1)));
        }
        Matcher interrupt = INTERRUPT.matcher(step);
        if (interrupt.matches()) {
            return new AfuStep.Interrupt(Integer.parseInt(interrupt.group(1)));
        }
        return switch (step) {
            case "wait" -> new AfuStep.Wait(false);
            case "wait all" -> new AfuStep.Wait(true);
            default -> throw new IllegalArgumentException("no step of an AFU is '" + step + "'");
        };
    }

    /// Each `any` is a channel of its own.
    private String channel(String channel) {
        return channel.equals("any") ? "any" + ++anys : channel;
    }

    private void readThread(String text) {
        program.add("CPU  " + text);
        List<CpuStep> steps = new ArrayList<>();
        for (String step : text.split("; *")) {
            steps.add(step.contains("interrupt") ? interruptStep(step) : cpuStep(step));
        }
        threads.add(List.copyOf(steps));
    }

    private CpuStep cpuStep(String step) {
        if (step.equals("fence")) {
            return new CpuStep.Fence();
        }
        Matcher store = STORE.matcher(step);
        if (store.matches()) {
            return new CpuStep.Store(lines(store.group(1)), Long.parseLong(store.group(2)));
        }
        Matcher load = LOAD.matcher(step);
        if (load.matches()) {
            return new CpuStep.Load(lines(load.group(2)), register(load.group(1)));
        }
        Matcher exchange = EXCHANGE.matcher(step);
        if (exchange.matches()) {
            long value = Long.parseLong(exchange.group(3));
            return new CpuStep.Exchange(
                    lines(exchange.group(2)), value, register(exchange.group(1)));
        }
        Matcher await = AWAIT.matcher(step);
        if (await.matches()) {
            return new CpuStep.Await(lines(await.group(1)), Long.parseLong(await.group(2)));
        }
        throw unknown(step);
    }

    private CpuStep interruptStep(String step) {
        Matcher interrupted = INTERRUPTED.matcher(step);
        if (interrupted.matches()) {
            int id = Integer.parseInt(interrupted.group(2));
            return new CpuStep.Interrupted(id, register(interrupted.group(1)));
        }
        Matcher await = AWAIT_INTERRUPT.matcher(step);
        if (await.matches()) {
            return new CpuStep.AwaitInterrupt(Integer.parseInt(await.group(1)));
        }
        throw unknown(step);
    }

    private static IllegalArgumentException unknown(String step) {
        return new IllegalArgumentException("no step of a processor is '" + step + "'");
    }

    private int register(String register) {
        if (registers.contains(register)) {
            throw new IllegalArgumentException("register " + register + " is set twice");
        }
        registers.add(register);
        return registers.size() - 1;
    }

    /// The line of the first of these variables; new ones lie side by side.
    private int lines(String... names) {
        if (!lines.containsKey(names[0])) {
            if (names.length > 1) {
                nextLine = (nextLine + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            }
            for (String variable : names) {
                lines.put(variable, nextLine++);
            }
        }
        return Objects.requireNonNull(lines.get(names[0]));
    }

    private void readExpectation(boolean allowed, String text) {
        Matcher matcher = EXPECTATION.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("no outcome is '" + text + "'");
        }
        Expectation.Links links =
                matcher.group(2) == null
                        ? Expectation.Links.ANY
                        : matcher.group(2).equals("one link")
                                ? Expectation.Links.ONE
                                : Expectation.Links.SEVERAL;
        List<String> values = List.of(matcher.group(1).split(" "));
        for (String value : values) {
            String observed = value.split("=", 2)[0];
            if (!registers.contains(observed)
                    && !lines.containsKey(observed)
                    && !observed.equals("arrived")
                    && !observed.equals("answered")) {
                throw new IllegalArgumentException(
                        "'" + value + "' speaks of nothing that the programs above have");
            }
        }
        Set<MemoryModel> models =
                matcher.group(3) == null
                        ? EnumSet.allOf(MemoryModel.class)
                        : EnumSet.of(
                                MemoryModel.valueOf(matcher.group(3).toUpperCase(Locale.ROOT)));
        expectations.add(new Expectation(allowed, links, models, values));
    }
}
