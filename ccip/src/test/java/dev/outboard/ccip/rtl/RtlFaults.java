package dev.outboard.ccip.rtl;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.Optional;
import java.util.function.Consumer;

/// For each violation that is found in designs only, a run of the AFU of [VerilatedAfuTest] or
/// [FindingsTest] in which it is asked to commit it.
public final class RtlFaults {
    private RtlFaults() {}

    /// What saw the fault; nothing if it can be seen at any port.
    public static Optional<Checker> commit(Violation violation) {
        return switch (violation) {
            case TX_UNDEFINED ->
                    Optional.of(
                            run(rx ->
                                    rx.c0.mmioRead(
                                            VerilatedAfuTest.NEVER_SET, MmioLength.BYTES_8, 0)));
            case TX_COMBINATIONAL ->
                    Optional.of(
                            run(rx ->
                                    rx.c0.mmioWrite(
                                            VerilatedAfuTest.LOOSE, MmioLength.BYTES_8, 0)));
            case RTL_ASSERTION -> Optional.of(FindingsTest.checked(50, FindingsTest.ASSERTION));
            case RTL_FINISH -> Optional.of(FindingsTest.checked(5, FindingsTest.FINISH));
            case TX_OTHER_CLOCK -> Optional.of(FindingsTest.checked(50, FindingsTest.CROSSED));
            default -> Optional.empty();
        };
    }

    private static Checker run(Consumer<Rx> request) {
        Checker checker = new Checker(Profile.PAC_A10, ErrorPolicy.LOG);
        Rx rx = new Rx();
        Tx tx = new Tx();
        VerilatedDesign design = VerilatedAfuTest.compiled();
        try (VerilatedAfu afu = design.open(Profile.PAC_A10, 1);
                RtlCheck check = new RtlCheck(afu, checker)) {
            for (int cycle = 0; cycle < 100; cycle++) {
                check.clock(cycle, tx, rx, new Answers());
                tx.idle();
                afu.clock(rx, tx);
                rx.idle();
                rx.softReset = cycle < 10;
                if (cycle == 50) {
                    request.accept(rx);
                }
            }
        }
        return checker;
    }
}
