package dev.outboard.console.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The tools that tell each other their queue pairs over TCP and bounce messages.
class PingPongToolsTest {
    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "1024", "100001"})
    void everySizeComesBackUnharmed(String bytes) {
        ToolPair run = ToolPair.run("rc-pingpong", "", "-s", bytes, "-n", "20", "-c", "-e");

        long moved = 2 * 20 * Long.parseLong(bytes);
        assertThat(run.client().out()).contains(moved + " bytes in ", "20 iters in ");
        assertThat(run.server().out()).contains(moved + " bytes in ", "20 iters in ");
    }

    @ParameterizedTest
    @CsvSource({"rc-pingpong, 256", "srq-pingpong, 4096"})
    void bothSidesUseTheMtuTheyAreTold(String tool, String mtu) {
        ToolPair run = ToolPair.run(tool, "", "-s", "9000", "-m", mtu, "-n", "20", "-c");

        assertThat(run.client().out()).contains("20 iters in ");
    }

    @Test
    void datagramsComeBackUnharmed() {
        ToolPair run = ToolPair.run("ud-pingpong", "", "-s", "1000", "-n", "20", "-c");

        assertThat(run.client().out()).contains("20 iters in ");
        assertThat(run.server().out()).contains("20 iters in ");
    }

    @Test
    void manyQueuePairsShareTheirReceives() {
        ToolPair run = ToolPair.run("srq-pingpong", "", "-q", "40", "-r", "64", "-n", "200", "-e");

        assertThat(run.client().out().lines().filter(line -> line.contains("remote address")))
                .hasSize(40);
        assertThat(run.server().out()).contains("200 iters in ");
    }
}
