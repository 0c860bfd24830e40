package dev.outboard.console.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The tools in the manner of perftest, against each other.
class PerftestToolsTest {
    private static final String NUMBER = " +[0-9.]+";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "send-lat -s 3000",
                "send-lat -R -e",
                "write-lat -s 1",
                "write-lat -R -n 300",
                "read-lat -s 9000 -e",
                "read-lat -R",
                "atomic-lat",
                "atomic-lat -R -A CMP_AND_SWAP"
            })
    void everyLatencyIsMeasured(String tool) {
        List<String> words = words(tool);

        ToolPair run = run(words);

        assertThat(run.client().out()).containsPattern("99%.*\\n +[0-9]+" + NUMBER.repeat(8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "send-bw -m 256",
                "send-bw -R",
                "write-bw -s 1000000 -n 20",
                "write-bw -R -e",
                "read-bw -t 5",
                "read-bw -R",
                "atomic-bw",
                "atomic-bw -R"
            })
    void bothSidesPrintTheBandwidth(String tool) {
        ToolPair run = run(words(tool));

        assertThat(run.client().out()).containsPattern("Mpps.*\\n +[0-9]+" + NUMBER.repeat(4));
        assertThat(run.server().out()).containsPattern("Mpps.*\\n +[0-9]+" + NUMBER.repeat(4));
    }

    private static List<String> words(String tool) {
        return new ArrayList<>(List.of(tool.split(" ")));
    }

    private static ToolPair run(List<String> words) {
        String tool = words.removeFirst();
        if (!words.contains("-n")) {
            words.addAll(List.of("-n", "30"));
        }
        return ToolPair.run(tool, "", words.toArray(String[]::new));
    }
}
