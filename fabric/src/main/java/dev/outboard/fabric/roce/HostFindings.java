package dev.outboard.fabric.roce;

import dev.outboard.fabric.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// What [Diagnosis] says about this process and the machine, whatever the address.
final class HostFindings {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String LOCKED_MEMORY = "Max locked memory";

    private HostFindings() {}

    static List<Finding> all() {
        return List.of(java(), processors(), lockedMemory());
    }

    private static Finding java() {
        Module module = HostFindings.class.getModule();
        String detail = Runtime.version() + " of " + System.getProperty("java.vendor");
        String name = module.isNamed() ? module.getName() : "ALL-UNNAMED";
        return module.isNativeAccessEnabled()
                ? Finding.ok("Java", detail)
                : Finding.warn(
                        "Java",
                        detail
                                + ", without permission for native calls: it warns, later releases"
                                + " will refuse",
                        "start it with --enable-native-access=" + name);
    }

    private static Finding processors() {
        int count = Runtime.getRuntime().availableProcessors();
        return count > 1
                ? Finding.ok("processors", String.valueOf(count))
                : Finding.warn(
                        "processors",
                        "one for everything: whoever polls keeps the others from running",
                        "give the process two or more: `nproc`, `taskset -p`");
    }

    /// Software RoCE works in ordinary memory; an RDMA card pins what is registered.
    private static Finding lockedMemory() {
        try (Stream<String> lines = Files.lines(LIMITS)) {
            String limit =
                    lines.filter(line -> line.startsWith(LOCKED_MEMORY))
                            .map(line -> line.substring(LOCKED_MEMORY.length()).strip())
                            .map(line -> line.split("\\s+")[0])
                            .findFirst()
                            .orElse("unknown");
            String detail =
                    limit.equals("unlimited")
                            ? limit
                            : limit
                                    + " bytes; software RoCE locks none, an RDMA card needs"
                                    + " `ulimit -l unlimited`";
            return Finding.ok("locked memory", detail);
        } catch (IOException e) {
            return Finding.ok("locked memory", "unknown; software RoCE locks none");
        }
    }
}
