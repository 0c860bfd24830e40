package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NodeCommandTest {
    @Test
    void measuresEachTarget() {
        assertThat(BenchRun.of("node", "--runs", "1", "--run-time", "20ms"))
                .containsPattern(
                        "(?s)\\(node/empty\\).* dpa-handler +[0-9.]+ [um]s .* cpu +[0-9.]+ [um]s")
                .containsPattern(
                        "(?s)\\(node/edges\\).* chain +[0-9.]+ [um]?s .* dpa-handler .* dpa .* afu .* cpu ");
    }

    @Test
    void soaksAllTargets() {
        assertThat(BenchRun.of("soak-node", "--clients", "2", "--time", "2s", "--interval", "2s"))
                .containsPattern("(?m)^0 wrong bytes in [1-9][0-9]* RPCs; memory is flat$");
    }
}
