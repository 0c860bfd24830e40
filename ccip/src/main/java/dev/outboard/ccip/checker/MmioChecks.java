package dev.outboard.ccip.checker;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C2Tx;
import dev.outboard.ccip.wire.MmioLength;

/// Whether every MMIO read is answered once and in time (CCI-P manual 1.3.5), and whether the FIU
/// sends MMIO requests as it may.
final class MmioChecks {
    private static final int TIDS = 512;
    private static final byte UNUSED = 0;
    private static final byte WAITING = 1;
    private static final byte ANSWERED = 2;

    /// Not answered in time, or caught by a reset.
    private static final byte EXPIRED = 3;

    /// The header bits that do not depend on what the FIU chooses: all but the tid and RSVD.
    private static final int ADDRESS_AND_LENGTH = 0x0FFFFC00;

    private final Reporter reporter;
    private final long timeoutCycles;
    private final byte[] states = new byte[TIDS];
    private final long[] sampledAt = new long[TIDS];
    private final int[] headers = new int[TIDS];

    /// The waiting reads in the order of their sampling: a ring of tids through the element after
    /// the last tid.
    private final int[] later = new int[TIDS + 1];

    private final int[] earlier = new int[TIDS + 1];
    private int waiting;

    /// What the link brought and the port has not sent yet: header bits, and bit 0 for a write.
    private int[] fromLink = new int[64];

    private int fromLinkHead;
    private int fromLinkCount;
    private boolean isLinkKnown;

    /// The register, as DWORD offset, whose read the host only tries, or -1.
    private int tried = -1;

    MmioChecks(Reporter reporter, long timeoutCycles) {
        this.reporter = reporter;
        this.timeoutCycles = timeoutCycles;
        later[TIDS] = TIDS;
        earlier[TIDS] = TIDS;
    }

    /// The host's link brought this request to the FIU.
    void arrived(boolean isRead, int address, MmioLength length) {
        isLinkKnown = true;
        if (fromLinkCount == fromLink.length) {
            int[] larger = new int[2 * fromLinkCount];
            for (int i = 0; i < fromLinkCount; i++) {
                larger[i] = fromLink[fromLinkHead + i & fromLinkCount - 1];
            }
            fromLink = larger;
            fromLinkHead = 0;
        }
        fromLink[fromLinkHead + fromLinkCount++ & fromLink.length - 1] =
                address << 12 | length.code() << 10 | (isRead ? 0 : 1);
    }

    /// The latest of what the link brought will not be sent.
    void dropped(int requests) {
        fromLinkCount -= requests;
    }

    /// The host looks whether a register is there: that its read is not answered is for the host to
    /// say.
    void tries(int address) {
        tried = address;
    }

    /// The AFU samples an MMIO request.
    void request(C0Rx c0, boolean inReset) {
        int code = c0.mmioLength();
        int longest = (c0.mmioRdValid ? MmioLength.BYTES_8 : MmioLength.BYTES_64).code();
        if (code > longest) {
            found(Violation.FIU_MMIO_LEN, c0, "");
        } else if (c0.mmioAddress() % (MmioLength.of(code).bytes() / 4) != 0) {
            found(Violation.FIU_MMIO_LEN, c0, "the address is not a multiple of the length");
        }
        checkOrder(c0);
        if (inReset) {
            found(Violation.FIU_MMIO_ORDER, c0, "softReset is 1");
        } else if (c0.mmioRdValid) {
            read(c0);
        }
    }

    private void checkOrder(C0Rx c0) {
        if (!isLinkKnown) {
            return;
        }
        int sent = (c0.hdr & ADDRESS_AND_LENGTH) | (c0.mmioRdValid ? 0 : 1);
        if (fromLinkCount == 0 || fromLink[fromLinkHead] != sent) {
            found(Violation.FIU_MMIO_ORDER, c0, "");
        }
        if (fromLinkCount != 0) {
            fromLinkHead = fromLinkHead + 1 & fromLink.length - 1;
            fromLinkCount--;
        }
    }

    private void read(C0Rx c0) {
        int tid = c0.tid();
        if (states[tid] == WAITING) {
            found(Violation.FIU_TID_REUSE, c0, "");
            unlink(tid);
        }
        states[tid] = WAITING;
        sampledAt[tid] = reporter.cycle();
        headers[tid] = c0.hdr;
        int last = earlier[TIDS];
        later[last] = tid;
        earlier[tid] = last;
        later[tid] = TIDS;
        earlier[TIDS] = tid;
        if (++waiting > Profile.MMIO_READS) {
            found(Violation.FIU_MMIO_OUTSTANDING, c0, waiting + " reads");
        }
    }

    /// The AFU answers a read, outside of reset.
    ///
    /// CCIP-MMIO-8: a read is answered once, whatever its length.
    void response(C2Tx c2) {
        int tid = c2.tid & TIDS - 1;
        switch (states[tid]) {
            case WAITING -> {
                states[tid] = ANSWERED;
                unlink(tid);
            }
            case ANSWERED -> found(Violation.MMIO_RSP_DUPLICATE, c2, "");
            case EXPIRED ->
                    found(
                            Violation.MMIO_RSP_UNSOLICITED,
                            c2,
                            "the read timed out or was caught by a reset");
            default -> found(Violation.MMIO_RSP_UNSOLICITED, c2, "no read had this tid");
        }
    }

    /// The last cycle in which the oldest waiting read may be answered.
    long deadline() {
        return waiting == 0 ? Long.MAX_VALUE : sampledAt[later[TIDS]] + timeoutCycles;
    }

    /// The deadline has come: reports the reads of which it is.
    void expire() {
        while (reporter.cycle() >= deadline()) {
            int tid = later[TIDS];
            states[tid] = EXPIRED;
            unlink(tid);
            if (address(tid) != tried && reporter.noted(Violation.MMIO_RSP_TIMEOUT)) {
                reporter.deliver(
                        Violation.MMIO_RSP_TIMEOUT,
                        describe(tid) + " has no response after " + timeoutCycles + " cycles");
            }
        }
    }

    /// A reset begins: reads that wait are completed by the FIU.
    void reset() {
        while (waiting != 0) {
            states[later[TIDS]] = EXPIRED;
            unlink(later[TIDS]);
        }
        for (int tid = 0; tid < TIDS; tid++) {
            if (states[tid] == ANSWERED) {
                states[tid] = UNUSED;
            }
        }
    }

    /// The oldest read that waits, in words.
    String describeOldest() {
        return waiting == 0 ? "" : describe(later[TIDS]) + ", " + waiting + " in all";
    }

    private String describe(int tid) {
        return "MMIO read of 0x"
                + Integer.toHexString(address(tid) << 2)
                + " with tid 0x"
                + Integer.toHexString(tid)
                + " from cycle "
                + sampledAt[tid];
    }

    private int address(int tid) {
        return headers[tid] >>> 12 & 0xFFFF;
    }

    private void unlink(int tid) {
        later[earlier[tid]] = later[tid];
        earlier[later[tid]] = earlier[tid];
        waiting--;
    }

    /// Reports this response.
    void found(Violation violation, C2Tx c2, String detail) {
        if (reporter.noted(violation)) {
            reporter.deliver(
                    violation,
                    Channel.TX_C2,
                    HeaderText.of(c2),
                    Answers.NONE,
                    Report.NO_ADDRESS,
                    detail);
        }
    }

    private void found(Violation violation, C0Rx c0, String detail) {
        if (reporter.noted(violation)) {
            reporter.deliver(
                    violation,
                    Channel.RX_C0,
                    HeaderText.of(c0),
                    Answers.NONE,
                    Report.NO_ADDRESS,
                    detail);
        }
    }
}
