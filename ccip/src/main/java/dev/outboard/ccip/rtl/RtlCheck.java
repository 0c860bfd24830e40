package dev.outboard.ccip.rtl;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;
import java.util.Optional;

/// Finds what the wires alone do not tell about an AFU in SystemVerilog, with a twin of it that
/// gets the same wires:
///
/// - The twin's registers and memories start with other contents. Where the two AFUs drive
///   different things after a reset, the port depends on something that was never set
///   (`TX_UNDEFINED`): what another simulator would show as X. An AFU that began with zero has no
///   such twin: nothing is compared.
/// - Between its cycles the twin's inputs are changed without a clock. An output that follows is
///   not registered (`TX_COMBINATIONAL`; CCI-P manual 1.3.1).
/// - What the AFU says itself is handed on: assertions that fail and `$error` (`RTL_ASSERTION`),
///   `$finish` during its reset (`RTL_FINISH`); and outputs that change at an edge of another clock
///   than pClk (`TX_OTHER_CLOCK`), each place of the design once.
///
/// Each is reported once. The run takes several times as long. Belongs to the simulation that
/// clocks it, and must be closed after it.
///
/// ```java
/// try (VerilatedAfu afu = design.open(profile, seed);
///         RtlCheck check = new RtlCheck(afu, checker)) {
///     …
/// }
/// ```
public final class RtlCheck implements Monitor, AutoCloseable {
    private final Checker checker;
    private final VerilatedAfu twin;
    private final RtlFindings findings;
    private final boolean compares;
    private final Tx twinTx = new Tx();
    private boolean wasReset;
    private boolean comparing;
    private boolean different;
    private boolean combinational;

    /// A check of this AFU, from its first edge on.
    ///
    /// @param checker what gets the reports
    public RtlCheck(VerilatedAfu afu, Checker checker) {
        this.checker = checker;
        twin = afu.twin();
        findings = new RtlFindings(afu, checker);
        compares = !afu.initialValues().zero();
    }

    @Override
    public void clock(long cycle, Tx tx, Rx rx, Answers answers) {
        if (comparing && compares && !different) {
            difference(tx, twinTx).ifPresent(wires -> reportUndefined(cycle, wires));
        }
        findings.report(cycle);
        comparing = wasReset && !rx.softReset;
        wasReset |= rx.softReset;
        twinTx.idle();
        twin.clock(rx, twinTx);
        if (!combinational && comparing) {
            twin.combinationalPath().ifPresent(wires -> reportCombinational(cycle, wires));
        }
    }

    private void reportUndefined(long cycle, String wires) {
        different = true;
        checker.report(
                Violation.TX_UNDEFINED,
                cycle,
                wires + " depends on what registers or memories hold before they are set");
    }

    private void reportCombinational(long cycle, String wires) {
        combinational = true;
        checker.report(
                Violation.TX_COMBINATIONAL,
                cycle,
                wires + " follows pck_cp2af_sRx without an edge of pClk");
    }

    /// The first wires that differ, of those that mean something.
    private static Optional<String> difference(Tx one, Tx other) {
        if (one.c0.valid != other.c0.valid) {
            return Optional.of("c0.valid");
        }
        if (one.c1.valid != other.c1.valid) {
            return Optional.of("c1.valid");
        }
        if (one.c2.mmioRdValid != other.c2.mmioRdValid) {
            return Optional.of("c2.mmioRdValid");
        }
        if (one.c0.valid
                && (one.c0.hdrLow != other.c0.hdrLow || one.c0.hdrHigh != other.c0.hdrHigh)) {
            return Optional.of("c0.hdr");
        }
        if (one.c1.valid
                && (one.c1.hdrLow != other.c1.hdrLow || one.c1.hdrHigh != other.c1.hdrHigh)) {
            return Optional.of("c1.hdr");
        }
        if (one.c1.valid && hasOtherData(one.c1, other.c1)) {
            return Optional.of("c1.data");
        }
        if (one.c2.mmioRdValid && one.c2.tid != other.c2.tid) {
            return Optional.of("c2.hdr");
        }
        return one.c2.mmioRdValid && one.c2.data != other.c2.data
                ? Optional.of("c2.data")
                : Optional.empty();
    }

    /// A fence or an interrupt has no data, and a write of bytes no others than these.
    private static boolean hasOtherData(C1Tx one, C1Tx other) {
        boolean write = one.requestType() <= WriteType.WRPUSH_I.code();
        if (!write || Arrays.equals(one.data, other.data)) {
            return false;
        }
        int first = one.byteMode() ? one.byteStart() : 0;
        int bytes = one.byteMode() ? one.byteLength() : Line.BYTES;
        for (int i = first; i < Math.min(first + bytes, Line.BYTES); i++) {
            long difference = one.data[i / Long.BYTES] ^ other.data[i / Long.BYTES];
            if ((byte) (difference >>> (i % Long.BYTES * Byte.SIZE)) != 0) {
                return true;
            }
        }
        return false;
    }

    /// The twin has to see every edge.
    @Override
    public long nextCycle(long cycle) {
        return cycle + 1;
    }

    @Override
    public void close() {
        twin.close();
    }
}
