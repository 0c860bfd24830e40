package dev.outboard.bench.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/// What this process takes, measured again and again: the Java heap after a collection, and the
/// memory beside it that is resident. One thread.
final class Memory {
    private static final Path MAPPINGS = Path.of("/proc/self/smaps");
    private static final Pattern MAPPING = Pattern.compile("([0-9a-f]+)-[0-9a-f]+ .*");
    private static final Pattern RESIDENT = Pattern.compile("Rss: +([0-9]+) kB");

    /// A generation, or the whole heap: `[0x00000000e0000000, 0x00000000e0800000, …)`.
    private static final Pattern HEAP_RANGE =
            Pattern.compile("\\[0x([0-9a-f]+),(?: 0x[0-9a-f]+,)? 0x([0-9a-f]+)\\)");

    private static final int HEX = 16;
    private static final long KIB = 1024;

    /// What the sessions that happen to be open may make out.
    private static final long HEAP_ALLOWANCE = 16 << 20;

    /// Compiled code, stacks, and what the allocator keeps.
    private static final long NATIVE_ALLOWANCE = 64 << 20;

    private final List<Long> heaps = new ArrayList<>();
    private final List<Long> natives = new ArrayList<>();

    void measure() {
        System.gc();
        heaps.add(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        natives.add(residentBytesBesideHeap());
    }

    long heapBytes() {
        return heaps.getLast();
    }

    long nativeBytes() {
        return natives.getLast();
    }

    int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    boolean isFlat() {
        return isFlat(heaps, HEAP_ALLOWANCE) && isFlat(natives, NATIVE_ALLOWANCE);
    }

    /// Whether the values came back in the second half to what they had been in the first.
    static boolean isFlat(List<Long> values, long allowance) {
        if (values.size() < 2) {
            return true;
        }
        int half = values.size() / 2;
        long before = values.subList(0, half).stream().mapToLong(v -> v).max().orElseThrow();
        long after =
                values.subList(half, values.size()).stream().mapToLong(v -> v).min().orElseThrow();
        return after <= before + allowance;
    }

    private static long residentBytesBesideHeap() {
        List<String> lines;
        try {
            lines = Files.readAllLines(MAPPINGS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long[] heap = heapRange();
        long sum = 0;
        boolean counts = true;
        for (String line : lines) {
            Matcher mapping = MAPPING.matcher(line);
            Matcher resident = RESIDENT.matcher(line);
            if (mapping.matches()) {
                long start = Long.parseUnsignedLong(mapping.group(1), HEX);
                counts = start < heap[0] || start >= heap[1];
            } else if (resident.matches() && counts) {
                sum += Long.parseLong(resident.group(1)) * KIB;
            }
        }
        return sum;
    }

    /// Where the Java heap lies: collectors report the memory range of each part.
    private static long[] heapRange() {
        long low = Long.MAX_VALUE;
        long high = 0;
        Matcher range = HEAP_RANGE.matcher(heapInfo());
        while (range.find()) {
            low = Math.min(low, Long.parseUnsignedLong(range.group(1), HEX));
            high = Math.max(high, Long.parseUnsignedLong(range.group(2), HEX));
        }
        return new long[] {low, high};
    }

    private static String heapInfo() {
        try {
            Object info =
                    ManagementFactory.getPlatformMBeanServer()
                            .invoke(
                                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                    "gcHeapInfo",
                                    new Object[] {null},
                                    new String[] {String[].class.getName()});
            return String.valueOf(info);
        } catch (JMException e) {
            throw new IllegalStateException("the JVM does not say where its heap is", e);
        }
    }
}
