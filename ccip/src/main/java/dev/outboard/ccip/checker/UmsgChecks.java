package dev.outboard.ccip.checker;

import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;

/// Whether an AFU takes a UMsg for the line of a read: both come with `rspValid`, and only
/// `resp_type` tells them apart (CCI-P manual 1.3.8).
///
/// The wires show it when the AFU writes what came with it. With a hint comes garbage that nobody
/// else has, so that is certain. The line of a UMsg an AFU may pass on as it likes; if it came
/// while reads were outstanding, this is told and no more.
final class UmsgChecks {
    private static final int IDS = 8;
    private static final int LAST_WRITE = WriteType.WRPUSH_I.code();

    private final Reporter reporter;

    /// The latest of each id: hints, then UMsgs that came while reads were outstanding.
    private final long[][] lines = new long[2 * IDS][Line.LONGS];

    private final boolean[] known = new boolean[lines.length];
    private boolean any;

    UmsgChecks(Reporter reporter) {
        this.reporter = reporter;
    }

    /// A UMsg or a hint arrives.
    void arrived(C0Rx c0, boolean readsOutstanding) {
        int slot = c0.umsgId() + (c0.isHint() ? 0 : IDS);
        known[slot] = c0.isHint() || (readsOutstanding && isDistinct(c0.data));
        if (known[slot]) {
            System.arraycopy(c0.data, 0, lines[slot], 0, Line.LONGS);
            any = true;
        }
    }

    /// A line that might be anybody's, such as one of zeros, tells nothing.
    private static boolean isDistinct(long[] data) {
        for (int i = 1; i < Line.LONGS; i++) {
            if (data[i] != data[0]) {
                return true;
            }
        }
        return false;
    }

    /// A beat on Tx C1.
    void written(C1Tx c1, long request) {
        if (!any || c1.requestType() > LAST_WRITE) {
            return;
        }
        for (int slot = 0; slot < lines.length; slot++) {
            if (known[slot] && Arrays.equals(lines[slot], c1.data)) {
                found(c1, request, slot);
                return;
            }
        }
    }

    /// CCIP-UMSG-13: UMsgs share Rx C0 with read responses.
    private void found(C1Tx c1, long request, int slot) {
        if (reporter.noted(Violation.UMSG_TAKEN_FOR_DATA)) {
            boolean hint = slot < IDS;
            reporter.deliver(
                    Violation.UMSG_TAKEN_FOR_DATA,
                    hint ? Severity.ERROR : Severity.INFO,
                    Channel.TX_C1,
                    HeaderText.of(c1),
                    request,
                    c1.startOfPacket() ? c1.address() : Report.NO_ADDRESS,
                    (hint ? "the data are the garbage of UMsgH " : "the data are the line of UMsg ")
                            + slot % IDS);
        }
    }
}
