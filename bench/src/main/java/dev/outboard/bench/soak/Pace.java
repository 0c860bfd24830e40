package dev.outboard.bench.soak;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/// How long a soak lasts, and how often it says how it goes.
final class Pace {
    @Option(
            names = "--time",
            paramLabel = "TIME",
            defaultValue = "60min",
            description = "How long. Default: ${DEFAULT-VALUE}.")
    private Duration time = Duration.ZERO;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1min",
            description = "How often to print a line. Default: ${DEFAULT-VALUE}.")
    private Duration interval = Duration.ZERO;

    /// Lets the time pass. At the end of each interval it measures the memory of this process and
    /// has it reported, with the minutes and seconds that have passed.
    void pass(Memory memory, Consumer<String> report) throws InterruptedException {
        long start = System.nanoTime();
        long next = 0;
        while (next < time.toNanos()) {
            next = Math.min(time.toNanos(), next + interval.toNanos());
            TimeUnit.NANOSECONDS.sleep(Math.max(0, start + next - System.nanoTime()));
            memory.measure();
            Duration elapsed = Duration.ofNanos(next);
            report.accept("%d:%02d".formatted(elapsed.toMinutes(), elapsed.toSecondsPart()));
        }
    }
}
