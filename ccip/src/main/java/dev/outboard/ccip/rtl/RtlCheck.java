package dev.outboard.ccip.rtl;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.C1Framing;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.HeaderText;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.checker.Report;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.C2Tx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;

/// Finds what the wires alone do not tell about an AFU in SystemVerilog, with a twin of it that
/// gets the same wires:
///
/// - The twin's registers and memories start with other contents. Where the two AFUs drive
///   different things after a reset, the port depends on something that was never set
///   (`TX_UNDEFINED`): what another simulator would show as X. Every such beat of every channel is
///   reported, since a harmless one may come first. An AFU that began with zero has no such twin:
///   nothing is compared.
/// - Between its cycles the twin's inputs are changed without a clock. An output that follows is
///   not registered (`TX_COMBINATIONAL`; CCI-P manual 1.3.1).
/// - What the AFU says itself is handed on: assertions that fail and `$error` (`RTL_ASSERTION`),
///   `$finish` during its reset (`RTL_FINISH`); and outputs that change at an edge of another clock
///   than pClk (`TX_OTHER_CLOCK`), each place of the design once.
///
/// A combinational path is reported once. The run takes several times as long. Belongs to the
/// simulation that clocks it, and must be closed after it.
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
    private final C1Framing framing = new C1Framing();
    private long reads;
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
        reads += tx.c0.valid ? 1 : 0;
        if (tx.c1.valid) {
            framing.accept(tx.c1);
        }
        if (comparing && compares) {
            compare(cycle, tx, twinTx);
        }
        findings.report(cycle);
        comparing = wasReset && !rx.softReset;
        wasReset |= rx.softReset;
        if (rx.softReset) {
            framing.reset();
        }
        twinTx.idle();
        twin.clock(rx, twinTx);
        if (!combinational && comparing) {
            twin.combinationalPath().ifPresent(wires -> reportCombinational(cycle, wires));
        }
    }

    /// CCIP-RTL-6: what differs was never set.
    private void compare(long cycle, Tx one, Tx other) {
        String c0 = difference(one.c0, other.c0);
        if (!c0.isEmpty()) {
            boolean sent = one.c0.valid;
            String header = sent ? HeaderText.of(one.c0) : "";
            long address = sent ? one.c0.address() : Report.NO_ADDRESS;
            undefined(cycle, Channel.TX_C0, c0, header, sent ? reads - 1 : Answers.NONE, address);
        }
        String c1 = difference(one.c1, other.c1);
        if (!c1.isEmpty()) {
            boolean sent = one.c1.valid;
            String header = sent ? HeaderText.of(one.c1) : "";
            long request = sent ? framing.requests() - 1 : Answers.NONE;
            undefined(cycle, Channel.TX_C1, c1, header, request, Report.NO_ADDRESS);
        }
        String c2 = difference(one.c2, other.c2);
        if (!c2.isEmpty()) {
            String header = one.c2.mmioRdValid ? HeaderText.of(one.c2) : "";
            undefined(cycle, Channel.TX_C2, c2, header, Answers.NONE, Report.NO_ADDRESS);
        }
    }

    private void undefined(
            long cycle, Channel channel, String wires, String header, long request, long address) {
        checker.report(
                Violation.TX_UNDEFINED,
                channel,
                cycle,
                header,
                request,
                address,
                wires + " depends on what registers or memories hold before they are set");
    }

    private void reportCombinational(long cycle, String wires) {
        combinational = true;
        checker.report(
                Violation.TX_COMBINATIONAL,
                cycle,
                wires + " follows pck_cp2af_sRx without an edge of pClk");
    }

    /// The first wires that differ, of those that mean something; nothing if none do.
    private static String difference(C0Tx one, C0Tx other) {
        if (one.valid != other.valid) {
            return "c0.valid";
        }
        boolean same = one.hdrLow == other.hdrLow && one.hdrHigh == other.hdrHigh;
        return same || !one.valid ? "" : "c0.hdr";
    }

    private static String difference(C1Tx one, C1Tx other) {
        if (one.valid != other.valid) {
            return "c1.valid";
        }
        if (!one.valid) {
            return "";
        }
        boolean same = one.hdrLow == other.hdrLow && one.hdrHigh == other.hdrHigh;
        return !same ? "c1.hdr" : hasOtherData(one, other) ? "c1.data" : "";
    }

    private static String difference(C2Tx one, C2Tx other) {
        if (one.mmioRdValid != other.mmioRdValid) {
            return "c2.mmioRdValid";
        }
        if (!one.mmioRdValid) {
            return "";
        }
        return one.tid != other.tid ? "c2.hdr" : one.data != other.data ? "c2.data" : "";
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
