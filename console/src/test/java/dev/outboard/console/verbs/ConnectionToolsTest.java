package dev.outboard.console.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The tools that connect through connection management and exchange messages.
class ConnectionToolsTest {
    @Test
    void ucmatoseSendsOverEveryConnection() {
        ToolPair run = ToolPair.run("ucmatose", "-s", "-c", "7", "-C", "3", "-S", "9000");

        for (Execution side : List.of(run.server(), run.client())) {
            assertThat(side.out())
                    .contains(
                            "7 connected",
                            "3 messages of 9000 bytes there and back on each",
                            "disconnected");
        }
    }

    @Test
    void ucmatoseConnectsWithoutAnyMessage() {
        ToolPair run = ToolPair.run("ucmatose", "-s", "-C", "0");

        assertThat(run.client().out()).contains("1 connected", "disconnected");
    }

    @Test
    void udaddyFindsEveryServiceAndGetsItsReplies() {
        ToolPair run = ToolPair.run("udaddy", "-s", "-c", "3", "-C", "4", "-S", "700");

        String transferred = "4 messages of 700 bytes there and back on each of 3";
        assertThat(run.client().out()).contains(transferred);
        assertThat(run.server().out()).contains(transferred);
    }

    @Test
    void rpingReadsAndWritesBack() {
        ToolPair run =
                ToolPair.run(
                        List.of("rping", "-s"),
                        List.of("rping", "-c", "-C", "5", "-V"),
                        "-a",
                        "-v",
                        "-S",
                        "5000");

        assertThat(run.client().out())
                .contains("ping data: rdma-ping-4: EFGHIJ", "5 pings of 5000 bytes");
        assertThat(run.server().out())
                .contains("server ping data: rdma-ping-0: ABCDEF", "served 5 pings");
    }

    @Test
    void rdmaServerAnswersRdmaClient() {
        ToolPair run = ToolPair.run(List.of("rdma-server"), List.of("rdma-client"), "-s");

        assertThat(run.server().out()).contains("answered a message of 16 bytes");
        assertThat(run.client().out()).contains("got the answer");
    }

    @Test
    void aServerWithoutClientsGivesUp() {
        Execution run =
                Execution.ofOutboard(
                        "verbs", "ucmatose", "--bind", "auto", "-p", "0", "--timeout", "300ms");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo(
                        "outboard: no word from the peer within 300 ms" + System.lineSeparator());
    }

    @Test
    void aNumberThatMakesNoSenseIsRefused() {
        Execution run = Execution.ofOutboard("verbs", "ucmatose", "-s", "127.0.0.9", "-c", "0");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .isEqualTo(
                        "outboard: -c is 0; valid: 1 to 10000 (see 'outboard verbs ucmatose --help')"
                                + System.lineSeparator());
    }
}
