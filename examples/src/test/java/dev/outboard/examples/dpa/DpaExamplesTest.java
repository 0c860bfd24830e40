package dev.outboard.examples.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Runs each example of DOCA DPA as its users do: as processes that meet on the wire.
class DpaExamplesTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Test
    @Requirement("DPA-RD-3")
    void allRanksHaveAllBlocksWhenTold() throws IOException {
        assertThat(run(AllToAll.class))
                .containsPattern("32 ranks in 4 processes had all blocks in each of 20 rounds");
    }

    @Test
    @Requirement({"DPA-RD-2", "DPA-TH-3"})
    void oneThreadCountsAndAnotherTells() throws IOException {
        assertThat(run(FourSends.class))
                .contains("100 messages were counted, and their immediates are 5050 together");
    }

    /// What the example prints.
    private static String run(Class<?> example) throws IOException {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "--class-path",
                        System.getProperty("java.class.path"),
                        example.getName());
        try (RunningProgram program =
                new RunningProgram(example.getSimpleName(), new ProcessBuilder(command).start())) {
            assertThat(program.ends(LIMIT)).as(program.toString()).isTrue();
            assertThat(program.exitCode()).as(program.toString()).isZero();
            return program.output();
        }
    }
}
