package dev.outboard.interop;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The fabric needs no right that every user does not have.
@Interop
class UnprivilegedTest {
    private static final String EVERYBODY = "rwxr-xr-x";

    /// A user without a name, groups, capabilities, or a way to get any.
    private static final List<String> AS_NOBODY =
            List.of(
                    "setpriv",
                    "--reuid=65534",
                    "--regid=65534",
                    "--clear-groups",
                    "--inh-caps=-all",
                    "--bounding-set=-all",
                    "--no-new-privs");

    @TempDir private Path directory;
    private final TestBeds beds;

    UnprivilegedTest(TestBeds beds) {
        this.beds = beds;
    }

    /// The programs, where everybody may read them: the source tree may be somebody's own.
    @BeforeEach
    void copyTheModules() throws IOException {
        allowEverybody(directory);
        try (Stream<Path> modules = Files.list(OurProgram.MODULES)) {
            for (Path module : modules.toList()) {
                Path copy = directory.resolve(module.getFileName());
                Files.copy(module, copy);
                allowEverybody(copy);
            }
        }
    }

    private static void allowEverybody(Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(EVERYBODY));
    }

    @ParameterizedTest
    @EnumSource(Link.class)
    @Requirement("ROCE-SOCK-9")
    void servesAndCallsAsNobody(Link link) {
        assumeTrue(canRunJava(link), "not everybody may run this JDK");
        String counts = "-c 2 -C 10 -S 20001";
        new Conversation(beds, link)
                .callsGuest(
                        asNobody("ucmatose -s {guest} " + counts),
                        "ucmatose -b {guest} " + counts,
                        7471);
        new Conversation(beds, link)
                .guestCalls(
                        "ucmatose -s {host} " + counts,
                        asNobody("ucmatose --bind {host} " + counts));
    }

    private boolean canRunJava(Link link) {
        List<String> command = new ArrayList<>(AS_NOBODY);
        command.addAll(List.of(OurProgram.JAVA, "--version"));
        try (RunningProgram java = beds.of(link).startOnHost(command)) {
            return java.ends(Duration.ofMinutes(1)) && !java.hasFailed();
        }
    }

    private List<String> asNobody(String words) {
        List<String> command = new ArrayList<>(AS_NOBODY);
        command.addAll(OurProgram.verbs(directory, words));
        return command;
    }
}
