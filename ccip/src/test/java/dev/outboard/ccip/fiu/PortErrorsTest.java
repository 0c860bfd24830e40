package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.Report;
import dev.outboard.ccip.checker.Severity;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

class PortErrorsTest {
    @Test
    @Requirement("CCIP-ERR-4")
    void keepsTheFirstErrorWithItsDetailsAndTheBitsOfAll() {
        PortErrors errors = new PortErrors();
        errors.record(report(Violation.C0TX_LEN3, 100));
        errors.record(report(Violation.MEM_UNMAPPED, 101));
        errors.record(report(Violation.MEM_UNMAPPED, 102));
        Report first = errors.first().orElseThrow();
        assertThat(first.violation()).isEqualTo(Violation.C0TX_LEN3);
        assertThat(first.cycle()).isEqualTo(100);
        assertThat(first.channel()).isEqualTo(Violation.C0TX_LEN3.channel());
        assertThat(first.header()).isEqualTo("the header");
        assertThat(errors.seen())
                .containsExactlyInAnyOrder(Violation.C0TX_LEN3, Violation.MEM_UNMAPPED);
        errors.clear();
        assertThat(errors.first()).isEmpty();
        assertThat(errors.seen()).isEmpty();
    }

    private static Report report(Violation violation, long cycle) {
        Severity severity = Severity.ERROR;
        Channel channel = violation.channel();
        String header = "the header";
        long request = Answers.NONE;
        long address = Report.NO_ADDRESS;
        String detail = "";
        return new Report(violation, severity, cycle, channel, header, request, address, detail);
    }
}
