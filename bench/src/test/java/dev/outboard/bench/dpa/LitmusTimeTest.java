package dev.outboard.bench.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusTest;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LitmusTimeTest {
    @Test
    void theTestsWithRowsOfTheirOwnHaveTheMostStates() {
        Map<LitmusTest, Long> states =
                LitmusCatalog.all().stream()
                        .collect(Collectors.toMap(Function.identity(), LitmusTime::states));
        List<String> largest =
                states.entrySet().stream()
                        .sorted(Map.Entry.<LitmusTest, Long>comparingByValue().reversed())
                        .limit(DpaCommand.LARGEST_TESTS.size())
                        .map(entry -> entry.getKey().name())
                        .toList();
        assertThat(DpaCommand.LARGEST_TESTS)
                .extracting(number -> "LIT-" + number)
                .isEqualTo(largest);
    }
}
