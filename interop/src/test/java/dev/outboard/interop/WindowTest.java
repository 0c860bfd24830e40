package dev.outboard.interop;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Memory windows and SEND with invalidate: no tool of rdma-core uses them, so the guest's side is
/// a program of these tests.
@Interop
class WindowTest {
    private static final int PORT = 7472;

    private final TestBeds beds;

    WindowTest(TestBeds beds) {
        this.beds = beds;
    }

    @BeforeEach
    void needsACompiler() {
        boolean hasCompiler =
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "gcc")));
        assumeTrue(hasCompiler, "no gcc to compile the guest's side with");
    }

    @ParameterizedTest
    @CsvSource({"IPV4_1024, 1", "IPV4_4096, 2", "IPV6_1024, 2", "IPV6_4096, 1"})
    @Requirement({"ROCE-MR-3", "ROCE-RC-24"})
    void theGuestUsesOurWindowUntilItIsGone(Link link, String type) {
        conversation(link).guestCalls("windows use {host} " + PORT, ours("offer", type));
    }

    @ParameterizedTest
    @CsvSource({"IPV4_1024, 2", "IPV4_4096, 1", "IPV6_1024, 1", "IPV6_4096, 2"})
    @Requirement({"ROCE-MR-3", "ROCE-RC-24"})
    void weUseTheWindowOfTheGuestUntilItIsGone(Link link, String type) {
        conversation(link)
                .callsGuest(
                        ours("use", "{guest}"),
                        "windows offer {guest} %d %s".formatted(PORT, type),
                        PORT);
    }

    private Conversation conversation(Link link) {
        beds.of(link).compile(Repository.root().resolve("interop/src/test/c/windows.c"));
        return new Conversation(beds, link);
    }

    private static List<String> ours(String role, String detail) {
        return OurProgram.test(WindowPeer.class, role, "{host}", String.valueOf(PORT), detail);
    }
}
