package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnprivilegedTest {
    /// A user with no privilege at all: "nobody", who gains none by executing anything.
    private static final List<String> AS_NOBODY =
            List.of(
                    "setpriv",
                    "--reuid=65534",
                    "--regid=65534",
                    "--clear-groups",
                    "--no-new-privs",
                    "--inh-caps=-all",
                    "--bounding-set=-all");

    private static final List<String> WITHOUT_CAPABILITIES =
            List.of("setpriv", "--no-new-privs", "--inh-caps=-all");

    @Test
    @Requirement("ROCE-SOCK-9")
    void aUserWithoutCapabilitiesSendsAndReceives(@TempDir Path directory) throws Exception {
        boolean root = "root".equals(System.getProperty("user.name"));
        List<String> as = root ? AS_NOBODY : WITHOUT_CAPABILITIES;
        ChildJvm.assume(ChildJvm.join(as, List.of("true")), "privileges cannot be dropped here");

        // Another user cannot look into everybody's source tree.
        String classPath =
                readableCopy(ChildJvm.location(UdpSocket.class), directory.resolve("main"))
                        + File.pathSeparator
                        + readableCopy(
                                ChildJvm.location(UnprivilegedProgram.class),
                                directory.resolve("test"));
        List<String> report =
                ChildJvm.run(
                        ChildJvm.join(as, ChildJvm.command(UnprivilegedProgram.class, classPath)));

        assertThat(report).contains("arrived: 15", "calls: 1 1", "port: 4791");
        assertThat(report).contains("CapEff:\t0000000000000000", "NoNewPrivs:\t1");
        assertThat(report)
                .anyMatch(line -> line.startsWith("Uid:"))
                .noneMatch(line -> line.matches("Uid:.*\\b0\\b.*"));
    }

    private static Path readableCopy(Path from, Path to) throws IOException {
        open(to.getParent());
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(UnprivilegedTest::isWanted).toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
                open(copy);
            }
        }
        return to;
    }

    private static boolean isWanted(Path file) {
        return Files.isDirectory(file) || file.toString().endsWith(".class");
    }

    private static void open(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
