package dev.outboard.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/// What this process holds beside its heap, for tests of what goes back to the system. The heap is
/// left out, since its pages become resident whenever it is first used there. Linux only; any
/// thread may ask.
public final class ResidentMemory {
    private static final Path MAPPINGS = Path.of("/proc/self/smaps");
    private static final Pattern MAPPING = Pattern.compile("([0-9a-f]+)-[0-9a-f]+ .*");
    private static final Pattern RESIDENT = Pattern.compile("Rss: +([0-9]+) kB");
    private static final Pattern HEAP_ADDRESS = Pattern.compile("0x([0-9a-f]{16})");
    private static final int HEX = 16;
    private static final long KIB = 1024;

    private ResidentMemory() {}

    /// The resident bytes of all mappings but those of the heap.
    public static long bytesBesideHeap() {
        long[] heap =
                HEAP_ADDRESS
                        .matcher(heapInfo())
                        .results()
                        .mapToLong(found -> Long.parseLong(found.group(1), HEX))
                        .sorted()
                        .toArray();
        long sum = 0;
        boolean counts = true;
        try {
            for (String line : Files.readAllLines(MAPPINGS)) {
                Matcher mapping = MAPPING.matcher(line);
                Matcher resident = RESIDENT.matcher(line);
                if (mapping.matches()) {
                    long start = Long.parseUnsignedLong(mapping.group(1), HEX);
                    counts = start < heap[0] || start >= heap[heap.length - 1];
                } else if (resident.matches() && counts) {
                    sum += Long.parseLong(resident.group(1)) * KIB;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sum;
    }

    /// Collectors report the memory range of each part of the heap.
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
