package dev.outboard.ccip.rtl;

import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.Violation;

/// Hands what a design says of itself, or does where only its model sees it, to a checker.
final class RtlFindings {
    private final VerilatedAfu afu;
    private final Checker checker;

    RtlFindings(VerilatedAfu afu, Checker checker) {
        this.afu = afu;
        this.checker = checker;
    }

    /// Reports what there is since the last time.
    ///
    /// @param cycle the cycle before which it happened
    void report(long cycle) {
        while (afu.hasFindings()) {
            VerilatedAfu.Finding finding = afu.takeFinding();
            checker.report(
                    switch (finding.kind()) {
                        case ASSERTION -> Violation.RTL_ASSERTION;
                        case FINISH -> Violation.RTL_FINISH;
                        case OTHER_CLOCK -> Violation.TX_OTHER_CLOCK;
                    },
                    cycle,
                    finding.text());
        }
    }
}
