package dev.outboard.ccip.checker;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import org.jspecify.annotations.Nullable;

/// Whether writes, fences and interrupts are as CCI-P has them (manual 1.3.7, 1.3.9, 1.3.10).
///
/// A burst that goes wrong is reported once: what follows up to the next beat with `sop` is taken
/// as the rest of it.
final class C1TxChecks {
    private static final int ILLEGAL_LENGTH = 2;
    private static final int FENCE = WriteType.WRFENCE.code();
    private static final int INTERRUPT = WriteType.INTR.code();
    private static final int WRITE = C1Response.WRLINE.code();
    private static final int LAST_WRITE = WriteType.WRPUSH_I.code();

    /// In the header's upper part: `sop`.
    private static final int SOP = 1 << 7;

    /// `byte_len` and `mode`.
    private static final int BYTE_FIELDS = 0xFC40;

    /// `vc_sel` and `cl_len`.
    private static final int CHANNEL_AND_LENGTH = 0x330;

    /// What a fence reserves beside `sop` and `mode`.
    private static final int FENCE_RESERVED = 0xFC30;

    /// What an interrupt reserves beside `mode`. Bits 79:78 do not count: an interrupt header of
    /// the public package is 6 bits too wide, and cut to 80 has its `vc_sel` there.
    private static final int INTERRUPT_RESERVED = 0x3CB0;

    /// The same by field: from bit, to bit.
    private static final int[][] FENCE_RESERVED_FIELDS = {{79, 74}, {69, 68}, {63, 16}};

    private static final int[][] INTERRUPT_RESERVED_FIELDS = {
        {77, 74}, {71, 71}, {69, 68}, {63, 2}
    };

    /// Cycles without a beat after which an open burst is reported.
    private static final long BURST_IDLE_CYCLES = 65536;

    private final Reporter reporter;
    private final Profile profile;
    private final ResponseChecks responses;
    private final Hazards hazards;
    private final C1Framing framing = new C1Framing();
    private final boolean[] isChannel = new boolean[VirtualChannel.values().length];
    private final boolean[] isHintHeard = new boolean[isChannel.length];

    /// By the header's upper part, whether there is nothing to say about it as the first beat of a
    /// write of lines.
    private final boolean[] isPlain = new boolean[1 << 10];

    /// The latest request with each interrupt id.
    private final long[] interrupts = {Answers.NONE, Answers.NONE, Answers.NONE, Answers.NONE};

    /// The first beat of the open or latest burst.
    private final C1Tx first = new C1Tx();

    private long burst = Answers.NONE;

    /// Something in the open or latest burst was wrong.
    private boolean isBroken;

    /// Beats without `sop` that belong to no burst are the rest of one that was reported.
    private boolean isRestExpected;

    private long lastBeatCycle;
    private boolean isStuck;

    C1TxChecks(Reporter reporter, Profile profile, ResponseChecks responses, Hazards hazards) {
        this.reporter = reporter;
        this.profile = profile;
        this.responses = responses;
        this.hazards = hazards;
        for (VirtualChannel channel : VirtualChannel.values()) {
            isChannel[channel.code()] = profile.has(channel);
            isHintHeard[channel.code()] = C0TxChecks.isHintHeard(profile, channel);
            for (LineCount count : LineCount.values()) {
                int header = channel.code() << 8 | SOP | count.code() << 4;
                isPlain[header | WriteType.WRLINE_I.code()] = profile.has(channel);
                isPlain[header | WriteType.WRPUSH_I.code()] = profile.has(channel);
                isPlain[header | WriteType.WRLINE_M.code()] = isHintHeard[channel.code()];
            }
        }
    }

    /// A valid beat outside of reset.
    ///
    /// @param flags of [Outstanding], for the request that it may begin
    void beat(C1Tx c1, int flags) {
        lastBeatCycle = reporter.cycle();
        isStuck = false;
        boolean cuts = framing.beatsLeft() != 0;
        if (!framing.accept(c1)) {
            laterBeat(c1);
            return;
        }
        if (cuts) {
            responses.excuse(Channel.TX_C1, burst);
        }
        int type = c1.requestType();
        if (type == FENCE) {
            fence(c1, flags, cuts);
        } else if (type == INTERRUPT) {
            interrupt(c1, flags, cuts);
        } else {
            firstBeat(c1, flags, cuts);
        }
    }

    /// A valid beat in reset, which counts as a request and nothing else.
    void beatInReset(C1Tx c1) {
        if (framing.accept(c1)) {
            responses.writeSent(reporter.cycle(), c1, WRITE, Outstanding.SENT_IN_RESET);
        }
    }

    /// A reset begins: nothing has to follow in an open burst.
    void cut() {
        isBroken = true;
    }

    /// A reset ended.
    void flush() {
        framing.reset();
        isBroken = false;
        isRestExpected = false;
    }

    /// The cycle in which an open burst is reported as stuck.
    long deadline() {
        return framing.beatsLeft() == 0 || isBroken || isStuck
                ? Long.MAX_VALUE
                : lastBeatCycle + BURST_IDLE_CYCLES;
    }

    /// The deadline has come.
    void burstIsStuck() {
        isStuck = true;
        incomplete(Severity.WARNING, "no beat for " + BURST_IDLE_CYCLES + " cycles");
    }

    /// The run has ended.
    void finish() {
        if (framing.beatsLeft() != 0 && !isBroken && !isStuck) {
            incomplete(Severity.ERROR, "the run has ended");
        }
    }

    private void incomplete(Severity atMost, String why) {
        if (reporter.noted(Violation.C1TX_BURST_INCOMPLETE)) {
            reporter.deliver(
                    Violation.C1TX_BURST_INCOMPLETE,
                    atMost,
                    Channel.TX_C1,
                    HeaderText.of(first),
                    burst,
                    first.address(),
                    framing.beatsLeft() + " beats are missing, and " + why);
        }
    }

    private void laterBeat(C1Tx c1) {
        int left = framing.beatsLeft();
        responses.beatSent(reporter.cycle(), left == 0);
        if (isBroken) {
            return;
        }
        int index = first.lengthCode() - left;
        Violation violation = whyWrong(c1, index);
        if (violation != null) {
            found(violation, c1, burst);
            responses.excuse(Channel.TX_C1, burst);
            isBroken = true;
            isRestExpected = true;
            return;
        }
        if (((c1.hdrHigh ^ first.hdrHigh) & CHANNEL_AND_LENGTH) != 0
                || c1.mdata() != first.mdata()) {
            found(Violation.C1TX_BEAT_FIELD_CHANGED, c1, burst);
        }
        hazards.writeSent(c1, first.address() + index, first.channel(), burst);
    }

    private @Nullable Violation whyWrong(C1Tx c1, int index) {
        int type = c1.requestType();
        if (type != first.requestType()) {
            return type > LAST_WRITE ? Violation.C1TX_BAD_REQTYPE : Violation.C1TX_BEAT_REQTYPE;
        }
        if (hasByteFields(c1)) {
            if (!profile.byteEnable()) {
                return Violation.C1TX_BYTE_UNSUPPORTED;
            }
            return c1.byteMode()
                    ? Violation.C1TX_BYTE_IN_BURST
                    : Violation.C1TX_BYTE_FIELDS_IN_CL_MODE;
        }
        return (c1.address() & 3) == (first.address() + index & 3)
                ? null
                : Violation.C1TX_BEAT_ADDR;
    }

    private void firstBeat(C1Tx c1, int flags, boolean cuts) {
        long request = responses.writes();
        boolean isServed = false;
        if (c1.startOfPacket() || !isRestExpected) {
            isServed = !cuts;
            if (cuts && !isBroken) {
                found(
                        c1.byteMode() && profile.byteEnable()
                                ? Violation.C1TX_BYTE_IN_BURST
                                : Violation.C1TX_SOP_IN_BURST,
                        c1,
                        request);
            }
            isBroken = !isFaultlessWrite(c1, request);
            isServed &= !isBroken;
            isRestExpected = cuts || isBroken;
        }
        first.hdrLow = c1.hdrLow;
        first.hdrHigh = c1.hdrHigh;
        burst = request;
        int open = framing.beatsLeft() == 0 ? 0 : Outstanding.OPEN;
        int excused = isServed ? 0 : Outstanding.EXCUSED;
        responses.writeSent(reporter.cycle(), c1, WRITE, flags | open | excused);
        if ((flags | excused) == 0) {
            hazards.writeSent(c1, c1.address(), c1.channel(), request);
        }
    }

    private boolean isFaultlessWrite(C1Tx c1, long request) {
        boolean isAligned = (c1.address() & c1.lengthCode()) == 0;
        boolean isPlainWrite = isPlain[c1.hdrHigh & 0x3FF] && !hasByteFields(c1);
        return (isPlainWrite && isAligned && c1.address() != 0) || isServedWrite(c1, request);
    }

    private boolean isServedWrite(C1Tx c1, long request) {
        if (c1.requestType() > LAST_WRITE) {
            found(Violation.C1TX_BAD_REQTYPE, c1, request);
            return false;
        }
        if (!c1.startOfPacket()) {
            found(
                    c1.byteMode() && profile.byteEnable()
                            ? Violation.C1TX_BYTE_MULTI_LINE
                            : Violation.C1TX_SOP_MISSING,
                    c1,
                    request);
            return false;
        }
        if (c1.requestType() == WriteType.WRLINE_M.code() && !isHintHeard[c1.channel()]) {
            found(Violation.C1TX_HINT_IGNORED, c1, request);
        }
        if (c1.address() == 0) {
            found(Violation.C1TX_ADDR_ZERO, c1, request);
        }
        boolean isFaultless = isChannelLegal(c1, request);
        if (c1.lengthCode() == ILLEGAL_LENGTH) {
            found(Violation.C1TX_LEN3, c1, request);
            isFaultless = false;
        } else if ((c1.address() & c1.lengthCode()) != 0) {
            found(Violation.C1TX_MISALIGNED, c1, request);
            isFaultless = false;
        }
        if (hasByteFields(c1)) {
            Violation violation = whyBytesWrong(c1);
            if (violation != null) {
                found(violation, c1, request);
                isFaultless = false;
            }
        }
        return isFaultless;
    }

    private @Nullable Violation whyBytesWrong(C1Tx c1) {
        if (!profile.byteEnable()) {
            return Violation.C1TX_BYTE_UNSUPPORTED;
        }
        if (!c1.byteMode()) {
            return Violation.C1TX_BYTE_FIELDS_IN_CL_MODE;
        }
        if (c1.lengthCode() != 0) {
            return Violation.C1TX_BYTE_MULTI_LINE;
        }
        return c1.byteLength() == 0 || c1.byteStart() + c1.byteLength() > Line.BYTES
                ? Violation.C1TX_BYTE_RANGE
                : null;
    }

    private void fence(C1Tx c1, int flags, boolean cuts) {
        long request = responses.writes();
        boolean isFaultless = isAloneAndInLineMode(c1, request, cuts);
        if (c1.startOfPacket()) {
            found(Violation.C1TX_FENCE_SOP, c1, request);
            isFaultless = false;
        }
        if ((c1.hdrHigh & FENCE_RESERVED) != 0 || c1.hdrLow >>> 16 != 0) {
            reserved(c1, request, FENCE_RESERVED_FIELDS);
        }
        int excused = isFaultless ? 0 : Outstanding.EXCUSED;
        responses.writeSent(reporter.cycle(), c1, FENCE, flags | excused);
        if ((flags | excused) == 0) {
            hazards.fenceSent(c1.channel(), request);
        }
    }

    private void interrupt(C1Tx c1, int flags, boolean cuts) {
        long request = responses.writes();
        boolean isFaultless = false;
        if (profile.interrupts()) {
            isFaultless = isAloneAndInLineMode(c1, request, cuts);
            if ((c1.hdrHigh & INTERRUPT_RESERVED) != 0 || c1.hdrLow >>> 2 != 0) {
                reserved(c1, request, INTERRUPT_RESERVED_FIELDS);
            }
            if (responses.isWriteOwed(interrupts[c1.interruptId()])) {
                found(Violation.C1TX_INTR_ID_BUSY, c1, request);
                isFaultless = false;
            }
        } else {
            found(Violation.C1TX_INTR_UNSUPPORTED, c1, request);
            isRestExpected |= cuts;
        }
        int excused = isFaultless ? 0 : Outstanding.EXCUSED;
        responses.writeSent(reporter.cycle(), c1, INTERRUPT, flags | excused);
        if ((flags | excused) == 0) {
            interrupts[c1.interruptId()] = request;
            hazards.interruptSent(c1, request);
        }
    }

    /// What fences and interrupts have in common.
    private boolean isAloneAndInLineMode(C1Tx c1, long request, boolean cuts) {
        boolean isFaultless = isChannelLegal(c1, request);
        if (cuts && !isBroken) {
            found(
                    c1.requestType() == FENCE
                            ? Violation.C1TX_FENCE_IN_BURST
                            : Violation.C1TX_INTR_IN_BURST,
                    c1,
                    request);
            isFaultless = false;
        }
        isRestExpected |= cuts;
        if (c1.byteMode()) {
            found(Violation.C1TX_BYTE_NON_WRITE, c1, request);
            isFaultless = false;
        }
        return isFaultless;
    }

    private boolean isChannelLegal(C1Tx c1, long request) {
        if (isChannel[c1.channel()]) {
            return true;
        }
        found(Violation.C1TX_VC_ILLEGAL, c1, request);
        return false;
    }

    private static boolean hasByteFields(C1Tx c1) {
        return (c1.hdrHigh & BYTE_FIELDS) != 0 || c1.hdrLow >>> 58 != 0;
    }

    /// CCIP-SIG-4: reserved bits are 0; says which are not.
    private void reserved(C1Tx c1, long request, int[][] fields) {
        if (reporter.noted(Violation.C1TX_RSVD_NONZERO)) {
            String which = HeaderText.reserved(c1.hdrHigh, c1.hdrLow, fields);
            deliver(Violation.C1TX_RSVD_NONZERO, c1, request, which);
        }
    }

    /// Reports this beat.
    void found(Violation violation, C1Tx c1, long request) {
        if (reporter.noted(violation)) {
            deliver(violation, c1, request, "");
        }
    }

    private void deliver(Violation violation, C1Tx c1, long request, String detail) {
        boolean hasLine = c1.requestType() <= LAST_WRITE && c1.startOfPacket();
        long line = hasLine ? c1.address() : Report.NO_ADDRESS;
        reporter.deliver(violation, Channel.TX_C1, HeaderText.of(c1), request, line, detail);
    }
}
