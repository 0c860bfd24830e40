package dev.outboard.examples.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.examples.ExampleProgram;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs each example as its users do: as two processes.
class ExamplesTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int LISTS_AND_A_BIT = 3 * 1024 * 1024 + 17;

    @Test
    @Requirement({"DRDMA-CONN-1", "DRDMA-CONN-10"})
    void pingPongCountsItsRounds() throws IOException {
        assertThat(run(PingPong.class))
                .containsPattern("2000 rounds of 64 bytes, [\\d.,]+ us each");
    }

    @Test
    @Requirement("DRDMA-COM-16")
    void aSyncEventTellsOfWritesThatAreThere() throws IOException {
        assertThat(run(NotifiedWrite.class)).contains("1000 of 1000 messages were there when told");
    }

    @Test
    @Requirement({"DRDMA-CONN-10", "DRDMA-COM-20"})
    void theCounterLosesNoAddition() throws IOException {
        assertThat(run(Counter.class))
                .contains("64 peers added 1, 1000 times each")
                .contains("the counter is at 64000");
    }

    @Test
    @Requirement({"DRDMA-READ-8", "DRDMA-COM-20"})
    void theCopyOfAFileIsTheFile(@TempDir Path directory) throws IOException {
        byte[] content = new byte[LISTS_AND_A_BIT];
        new Random(1).nextBytes(content);
        Path source = Files.write(directory.resolve("source"), content);
        Path copy = directory.resolve("copy");

        assertThat(run(FileCopy.class, source.toString(), copy.toString()))
                .contains(LISTS_AND_A_BIT + " bytes copied");

        assertThat(copy).hasBinaryContent(content);
    }

    @Test
    void aMissingSourceLeavesNoCopy(@TempDir Path directory) throws IOException {
        Path source = directory.resolve("source");
        Path copy = directory.resolve("copy");

        assertThat(failureOf(FileCopy.class, source.toString(), copy.toString()))
                .contains("NoSuchFileException: " + source);

        assertThat(copy).doesNotExist();
    }

    @Test
    void aClientSaysWhereNobodyAnswers() throws IOException {
        int port;
        try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = nobody.getLocalPort();
        }

        assertThat(failureOf(PingPong.class, "client", "localhost:" + port))
                .contains("nobody answers on port " + port + " of localhost");
        assertThat(failureOf(PingPong.class, "client", "localhost:0")).contains("'0' is no port");
    }

    /// What the example says when it fails.
    private static String failureOf(Class<?> example, String... words) throws IOException {
        try (RunningProgram program = ExampleProgram.start(example, words)) {
            assertThat(program.ends(LIMIT)).as(program.toString()).isTrue();
            assertThat(program.exitCode()).as(program.toString()).isNotZero();
            return program.errors();
        }
    }

    /// What the example prints.
    private static String run(Class<?> example, String... words) throws IOException {
        try (RunningProgram program = ExampleProgram.start(example, words)) {
            assertThat(program.ends(LIMIT)).as(program.toString()).isTrue();
            assertThat(program.exitCode()).as(program.toString()).isZero();
            assertThat(program.errors()).isEmpty();
            return program.output();
        }
    }
}
