package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CcipCommandTest {
    @Test
    void measuresThePlatformNextToAPlainModel() {
        assertThat(BenchRun.of("ccip", "--runs", "1", "--run-time", "20ms"))
                .containsPattern(
                        "(?s)\\(copy-wide\\).* FIU and copy AFU +[0-9.]+ [kM]/s .* plain model")
                .containsPattern("(?s)\\(idle\\).* quiet AFU +[0-9.]+ [kM]/s ");
    }
}
