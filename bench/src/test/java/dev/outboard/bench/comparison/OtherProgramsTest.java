package dev.outboard.bench.comparison;

import dev.outboard.testkit.Eventually;
import org.junit.jupiter.api.Test;

class OtherProgramsTest {
    /// A program whose parent has ended is nobody's descendant. It ends by itself.
    @Test
    void seesAProgramThatThisOneHasNotStarted() throws Exception {
        OtherPrograms others = OtherPrograms.watch();
        new ProcessBuilder("sh", "-c", "timeout 2 sh -c 'while :; do :; done' &").start().waitFor();

        Eventually.until(() -> others.processors() > 0.1);
    }
}
