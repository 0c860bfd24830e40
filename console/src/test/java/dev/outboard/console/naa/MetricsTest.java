package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTest {
    @TempDir private Path directory;

    @Test
    @Requirement("NAA-ROB-6a")
    void showsTheCountersOfANodeToPrometheus() throws Exception {
        Path file = Files.writeString(directory.resolve("some.txt"), "hello");
        try (OutboardProcess node = OutboardProcess.node("--metrics", "0")) {
            String url = node.awaitLine("metrics at (http://127\\..*:\\d+/metrics)").group(1);
            assertThat(get(url).lines()).contains("outboard_naa_rpcs_total 0");

            Execution call =
                    Execution.ofOutboard(
                            "naa",
                            "call",
                            node.address(),
                            "--function",
                            "3",
                            "--in",
                            file.toString());

            assertThat(call.exitCode()).as(call.toString()).isZero();
            assertThat(get(url).lines())
                    .contains(
                            "# TYPE outboard_naa_rpcs_total counter",
                            "outboard_naa_rpcs_total 1",
                            "outboard_naa_routine_calls_total{routine=\"empty\"} 1",
                            "outboard_naa_routine_calls_total{routine=\"sgemm\"} 0",
                            "# TYPE outboard_naa_connections_open gauge");
        }
    }

    private static String get(String url) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(url)).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
