package dev.outboard.bench.comparison;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// How much of the processors others took since [#watch]: programs that neither are this one nor
/// were started by it, and other virtual machines (stolen time). Known to about a hundredth of a
/// second. Also in the process group of this one is what a program of its own has left behind.
final class OtherPrograms {
    private static final Path KERNEL_STATISTICS = Path.of("/proc/stat");
    private static final long KERNEL_THREADS = 2;
    private static final int STOLEN = 8;

    /// Behind the name: state, parent, group.
    private static final int GROUP = 3;

    private static final long TICK_NANOS = 10_000_000;

    private final long start = System.nanoTime();
    private final Map<Long, Long> before = nanosByProcess();
    private final long stolenBefore = stolenNanos();

    private OtherPrograms() {}

    /// Begins to watch.
    static OtherPrograms watch() {
        return new OtherPrograms();
    }

    /// How many processors they kept busy.
    double processors() {
        long nanos = stolenNanos() - stolenBefore;
        for (Map.Entry<Long, Long> process : nanosByProcess().entrySet()) {
            nanos += process.getValue() - before.getOrDefault(process.getKey(), 0L);
        }
        return (double) nanos / (System.nanoTime() - start);
    }

    private static Map<Long, Long> nanosByProcess() {
        ProcessHandle current = ProcessHandle.current();
        Set<Long> own =
                Stream.concat(Stream.of(current), current.descendants())
                        .map(ProcessHandle::pid)
                        .collect(Collectors.toCollection(HashSet::new));
        String ownGroup = group(current);
        Map<Long, Long> nanos = new HashMap<>();
        ProcessHandle.allProcesses()
                .filter(process -> !own.contains(process.pid()) && !isOfKernel(process))
                .filter(process -> !group(process).equals(ownGroup))
                .forEach(process ->
                        nanos.put(
                                process.pid(),
                                process.info()
                                        .totalCpuDuration()
                                        .map(Duration::toNanos)
                                        .orElse(0L)));
        return nanos;
    }

    /// The kernel's threads work for the measurement too.
    private static boolean isOfKernel(ProcessHandle process) {
        Optional<Long> parent = process.parent().map(ProcessHandle::pid);
        return process.pid() == KERNEL_THREADS || parent.equals(Optional.of(KERNEL_THREADS));
    }

    /// The process group of `process`; empty if it has just ended.
    private static String group(ProcessHandle process) {
        try {
            String status = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            return status.substring(status.lastIndexOf(')')).split(" ")[GROUP];
        } catch (IOException _) {
            return "";
        }
    }

    private static long stolenNanos() {
        try (Stream<String> lines = Files.lines(KERNEL_STATISTICS)) {
            return lines.findFirst()
                    .map(line -> line.split(" +"))
                    .filter(fields -> fields.length > STOLEN)
                    .map(fields -> Long.parseLong(fields[STOLEN]) * TICK_NANOS)
                    .orElse(0L);
        } catch (IOException _) {
            return 0;
        }
    }
}
