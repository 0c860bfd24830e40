package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `outboard naa call` says about a node that is not one of ours.
class ForeignNodeTest {
    @TempDir private Path directory;

    @Test
    void aCodeOfItsOwnIsNotExplainedAsOneOfOurs() throws IOException {
        try (ForeignNode node = new ForeignNode(0x20 << 8, 0)) {
            Execution run = call(node, "10", "--in", file("a", 8), "--out", "8:" + path("c"));

            assertThat(run.err())
                    .isEqualTo(
                            "outboard: function 10 at %s ended with code 0x20 (error of the routine); if it is vector-add of 'outboard naa serve': the three regions must have the same size, a multiple of 4 bytes (see 'outboard naa routines')%n"
                                    .formatted(node.address()));
            assertThat(run.exitCode()).isEqualTo(1);
        }
        try (ForeignNode node = new ForeignNode(0x11 << 8, 0)) {
            assertThat(call(node, "12", "--in", file("a", 8), "--out", "8:" + path("c")).err())
                    .isEqualTo(
                            "outboard: function 12 at %s ended with code 0x11 (from an Outboard server: the regions are not those that the routine takes); if it is sha-256 of 'outboard naa serve': it takes --in message, --out digest (see 'outboard naa routines')%n"
                                    .formatted(node.address()));
        }
    }

    @Test
    void aFunctionThatWeDoNotHaveIsNotExplained() throws IOException {
        try (ForeignNode node = new ForeignNode(0x20 << 8, 0)) {
            assertThat(call(node, "99", "--inout", file("a", 8)).err())
                    .isEqualTo(
                            "outboard: RPC with %s: function 99 ended with code 0x20 (error of the routine); the routine's description says what that means (state FINISHED)%n"
                                    .formatted(node.address()));
        }
    }

    @Test
    @Requirement("NAA-RET-12")
    void fewerBytesThanTheRegionHasAreTold() throws IOException {
        try (ForeignNode node = new ForeignNode(0, 3)) {
            String file = file("bytes", 8);

            Execution run = call(node, "1", "--inout", file);

            assertThat(run.exitCode()).isZero();
            assertThat(Files.readAllBytes(Path.of(file))).containsExactly(9, 9, 9, 1, 1, 1, 1, 1);
            assertThat(run.out()).containsPattern("compute, receive .* 3 B\\b");
            assertThat(run.err())
                    .isEqualTo(
                            "outboard: the node returned 3 of 8 bytes; the rest of %s is what it was before the call%n"
                                    .formatted(file));
        }
    }

    @Test
    @Requirement("NAA-RET-12")
    void soAreFewerBytesOfARegionThatIsNotTheLast() throws IOException {
        try (ForeignNode node = new ForeignNode(0, 5, 10)) {
            Execution run = call(node, "1", "--inout", file("a", 10), "--inout", file("b", 10));

            assertThat(run.err())
                    .isEqualTo(
                            "outboard: the node returned 15 of 20 bytes; the rest of %s and %s is what it was before the call%n"
                                    .formatted(path("a"), path("b")));
        }
    }

    @Test
    void allBytesNeedNoWord() throws IOException {
        try (ForeignNode node = new ForeignNode(0, 8, 10)) {
            Execution run = call(node, "1", "--inout", file("a", 8), "--inout", file("b", 10));

            assertThat(run.err()).isEmpty();
            assertThat(run.out()).startsWith("function 1 at " + node.address());
        }
    }

    private Path path(String name) {
        return directory.resolve(name);
    }

    /// A file of ones.
    private String file(String name, int length) throws IOException {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 1);
        return Files.write(path(name), bytes).toString();
    }

    private static Execution call(ForeignNode node, String function, String... options) {
        List<String> words =
                new ArrayList<>(List.of("naa", "call", node.address(), "--function", function));
        words.addAll(List.of(options));
        return Execution.ofOutboard(words.toArray(String[]::new));
    }
}
