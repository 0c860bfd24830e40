package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.PortFaults;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.rtl.RtlFaults;
import dev.outboard.testkit.Requirement;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Every violation there is, each in a run with no other fault: a violation without such a run
/// fails here.
class EveryViolationTest {
    @ParameterizedTest
    @EnumSource
    @Requirement({"CCIP-CHK-4", "CCIP-CHK-6"})
    void isReportedForTheFaultThatItNamesAndNothingElseIs(Violation violation) {
        Checker checker =
                PortFaults.commit(violation)
                        .or(() -> HostFaults.commit(violation))
                        .or(() -> RtlFaults.commit(violation))
                        .orElseGet(() -> fail("Nothing commits %s", violation));
        assertThat(checker.counts()).isEqualTo(Map.of(violation, 1L));
    }
}
