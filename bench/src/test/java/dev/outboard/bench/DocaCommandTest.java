package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DocaCommandTest {
    @Test
    void measuresTasksNextToTheVerbs() {
        assertThat(BenchRun.of("doca", "--runs", "1", "--run-time", "20ms"))
                .containsPattern(
                        "(?s)\\(send\\).* DOCA tasks +[0-9.]+ [um]s .* 1\\.00 .* bare verbs")
                .containsPattern("(?s)\\(rate\\).* DOCA tasks +[0-9.]+ [kM]/s ")
                .containsPattern("(?s)\\(read-1m\\).* DOCA tasks +[0-9.]+ [KMG]B/s ");
    }
}
