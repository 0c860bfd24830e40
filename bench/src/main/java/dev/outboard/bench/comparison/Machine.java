package dev.outboard.bench.comparison;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// Where numbers were measured: they mean nothing without it.
///
/// @param processor the model's name, as the kernel tells it
/// @param processors how many there are for this process
/// @param system the operating system and its version
/// @param java the Java that ran
/// @param load the processes that wanted to run during the minute before; negative if unknown
public record Machine(String processor, int processors, String system, String java, double load) {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    /// This machine, now.
    public static Machine here() {
        return new Machine(
                processorModel(),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    /// Whether others use so much of the machine that measurements on it mean little.
    public boolean isBusy() {
        return load > processors / 2.0;
    }

    /// Tells `reader` if it is.
    public void warnIfBusy(Consumer<String> reader) {
        if (isBusy()) {
            reader.accept(
                    String.format(
                            Locale.ROOT,
                            "the load average is %.1f: measure again when it is near 0",
                            load));
        }
    }

    private static String processorModel() {
        try (Stream<String> lines = Files.lines(CPU_INFO)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException _) {
            return System.getProperty("os.arch");
        }
    }

    @Override
    public String toString() {
        return "%d x %s, %s, %s".formatted(processors, processor, system, java);
    }
}
