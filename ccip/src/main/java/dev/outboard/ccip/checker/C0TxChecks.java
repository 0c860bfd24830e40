package dev.outboard.ccip.checker;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;

/// Whether a read request is as CCI-P has it (manual 1.3.7).
final class C0TxChecks {
    private static final int ILLEGAL_LENGTH = 2;

    /// The reserved fields of a header: from bit, to bit.
    private static final int[][] RESERVED = {{71, 70}, {63, 58}};

    private final Reporter reporter;
    private final boolean[] isChannel = new boolean[VirtualChannel.values().length];

    /// Whether RDLINE_S is heard on a channel.
    private final boolean[] isHintHeard = new boolean[isChannel.length];

    /// By the header's upper part, whether there is nothing to say about it.
    private final boolean[] isPlain = new boolean[1 << 10];

    C0TxChecks(Reporter reporter, Profile profile) {
        this.reporter = reporter;
        for (VirtualChannel channel : VirtualChannel.values()) {
            isChannel[channel.code()] = profile.has(channel);
            isHintHeard[channel.code()] = isHintHeard(profile, channel);
            for (LineCount count : LineCount.values()) {
                int header = channel.code() << 8 | count.code() << 4;
                isPlain[header | ReadType.RDLINE_I.code()] = profile.has(channel);
                isPlain[header | ReadType.RDLINE_S.code()] = isHintHeard(profile, channel);
            }
        }
    }

    /// Whether requests on this channel may use the FPGA cache, which is on the way of VL0 and so
    /// of some of VA.
    static boolean isHintHeard(Profile profile, VirtualChannel channel) {
        return profile.cached() && (channel == VirtualChannel.VA || channel == VirtualChannel.VL0);
    }

    /// Reports what is wrong with this request.
    ///
    /// @return whether it is one that the FIU can serve
    boolean check(C0Tx c0, long request) {
        boolean isAligned = (c0.address() & c0.lengthCode()) == 0;
        if (isPlain[c0.hdrHigh & 0x3FF]
                && isAligned
                && c0.hdrLow >>> 58 == 0
                && c0.address() != 0) {
            return true;
        }
        return checkClosely(c0, request);
    }

    private boolean checkClosely(C0Tx c0, long request) {
        int type = c0.requestType();
        boolean isServed = true;
        if (c0.reserved() != 0 && reporter.noted(Violation.C0TX_RSVD_NONZERO)) {
            String which = HeaderText.reserved(c0.hdrHigh, c0.hdrLow, RESERVED);
            deliver(Violation.C0TX_RSVD_NONZERO, c0, request, which);
        }
        if (type > ReadType.RDLINE_S.code()) {
            found(Violation.C0TX_BAD_REQTYPE, c0, request);
            isServed = false;
        } else if (type == ReadType.RDLINE_S.code() && !isHintHeard[c0.channel()]) {
            found(Violation.C0TX_HINT_IGNORED, c0, request);
        }
        if (!isChannel[c0.channel()]) {
            found(Violation.C0TX_VC_ILLEGAL, c0, request);
            isServed = false;
        }
        if (c0.lengthCode() == ILLEGAL_LENGTH) {
            found(Violation.C0TX_LEN3, c0, request);
            isServed = false;
        } else if ((c0.address() & c0.lengthCode()) != 0) {
            found(Violation.C0TX_MISALIGNED, c0, request);
            isServed = false;
        }
        if (c0.address() == 0) {
            found(Violation.C0TX_ADDR_ZERO, c0, request);
        }
        return isServed;
    }

    /// Reports this request for a reason that is not in its header.
    void found(Violation violation, C0Tx c0, long request) {
        if (reporter.noted(violation)) {
            deliver(violation, c0, request, "");
        }
    }

    private void deliver(Violation violation, C0Tx c0, long request, String detail) {
        reporter.deliver(
                violation, Channel.TX_C0, HeaderText.of(c0), request, c0.address(), detail);
    }
}
