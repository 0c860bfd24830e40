package dev.outboard.ccip.checker;

import static dev.outboard.ccip.checker.Outstanding.EXCUSED;
import static dev.outboard.ccip.checker.Outstanding.KIND_SHIFT;
import static dev.outboard.ccip.checker.Outstanding.LENGTH_SHIFT;
import static dev.outboard.ccip.checker.Outstanding.OPEN;
import static dev.outboard.ccip.checker.Outstanding.PENDING;
import static dev.outboard.ccip.checker.Outstanding.SENT_AFTER_ERROR;
import static dev.outboard.ccip.checker.Outstanding.SENT_IN_RESET;
import static dev.outboard.ccip.checker.Outstanding.VC_SHIFT;
import static dev.outboard.ccip.checker.Outstanding.VC_USED_SHIFT;
import static dev.outboard.ccip.checker.Report.NO_ADDRESS;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Whether the FIU answers every read, write, fence and interrupt as it has to (CCI-P manual
/// 1.3.8.1): once per line or once packed, with what the request wants back.
final class ResponseChecks {
    private static final int WRITE = C1Response.WRLINE.code();
    private static final int FENCE = C1Response.WRFENCE.code();
    private static final int INTERRUPT = C1Response.INTR.code();
    private static final int VA = VirtualChannel.VA.code();
    private static final int VL0 = VirtualChannel.VL0.code();

    /// The lines of each code of `cl_len`, one bit each; three of the illegal code 2.
    private static final int[] LINES = {1, 3, 7, 15};

    private final Reporter reporter;
    private final Profile profile;
    private final Hazards hazards;
    private final boolean[] isLink = new boolean[VirtualChannel.values().length];
    private final Outstanding reads = new Outstanding();
    private final Outstanding writes = new Outstanding();
    private final OrderChecks order;
    private long lastReadCycle = -1;
    private long lastBeatCycle = -1;

    /// Beats of the newest C1 request so far.
    private int beats;

    ResponseChecks(Reporter reporter, Profile profile, Hazards hazards) {
        this.reporter = reporter;
        this.profile = profile;
        this.hazards = hazards;
        order = new OrderChecks(reporter, reads, writes);
        profile.channels().forEach(channel -> isLink[channel.code()] = true);
    }

    /// A read was sent.
    ///
    /// @param flags of [Outstanding]: whether the FIU need not or must not answer
    void readSent(long cycle, C0Tx c0, int flags) {
        lastReadCycle = cycle;
        reads.add(
                cycle,
                c0.hdrLow,
                LINES[c0.lengthCode()]
                        | c0.channel() << VC_SHIFT
                        | c0.lengthCode() << LENGTH_SHIFT
                        | flags);
    }

    /// A write began, or a fence or an interrupt was sent.
    ///
    /// @param kind code of the [C1Response] that answers it
    /// @param flags of [Outstanding]: whether the FIU need not or must not answer, whether beats
    ///   are to follow
    void writeSent(long cycle, C1Tx c1, int kind, int flags) {
        lastBeatCycle = cycle;
        beats = 1;
        int lengthCode = kind == WRITE ? c1.lengthCode() : 0;
        writes.add(
                cycle,
                c1.hdrLow,
                LINES[lengthCode]
                        | c1.channel() << VC_SHIFT
                        | lengthCode << LENGTH_SHIFT
                        | kind << KIND_SHIFT
                        | flags);
    }

    /// A later beat of the newest write was sent.
    void beatSent(long cycle, boolean last) {
        lastBeatCycle = cycle;
        beats++;
        if (last) {
            long request = writes.count() - 1;
            writes.setState(request, writes.state(request) & ~OPEN);
        }
    }

    /// In which order the same requests are served.
    OrderChecks order() {
        return order;
    }

    /// Requests on C0 so far.
    long reads() {
        return reads.count();
    }

    /// Requests on C1 so far.
    long writes() {
        return writes.count();
    }

    /// The FIU may leave this request unanswered, since it is faulty.
    void excuse(Channel channel, long request) {
        if (channel == Channel.TX_C0) {
            forgetRead(request);
            reads.excuse(request);
        } else if (channel == Channel.TX_C1) {
            writes.excuse(request);
        }
    }

    private void forgetRead(long request) {
        if (reads.knows(request) && (reads.state(request) & EXCUSED) == 0) {
            for (int pending = reads.state(request) & PENDING;
                    pending != 0;
                    pending &= pending - 1) {
                int line = Integer.numberOfTrailingZeros(pending);
                hazards.readAnswered(lineAddress(reads, request) + line);
            }
        }
    }

    /// The FIU may leave all requests so far unanswered: in reset, after an error.
    void excuseAll() {
        reads.excuseAll();
        writes.excuseAll();
    }

    /// A reset ended: no request so far may be answered from now on.
    void flush() {
        reads.flush();
        writes.flush();
        order.flush();
    }

    /// Whether any read is still owed a line.
    boolean isReadOwed() {
        return reads.nextOwed(0) < reads.count();
    }

    /// Whether this C1 request is still owed a response.
    boolean isWriteOwed(long request) {
        return writes.knows(request) && !writes.isFlushed(request) && writes.isOwed(request);
    }

    /// A valid response or UMsg on Rx C0.
    void response(long cycle, C0Rx c0, long request) {
        if (c0.isUmsg()) {
            if (!profile.umsgs()) {
                found(Violation.FIU_RSP_UNSOLICITED, c0, request, "there are no UMsgs here");
            }
            return;
        }
        if (!c0.isReadResponse()) {
            found(Violation.FIU_RSP_UNSOLICITED, c0, request, "resp_type is reserved");
            return;
        }
        if (reads.isForgotten(request)) {
            return;
        }
        boolean early = request == reads.count() - 1 && cycle == lastReadCycle;
        Violation violation = whyUnexpected(reads, request, early);
        if (violation != null) {
            found(violation, c0, request, "");
            return;
        }
        int state = reads.state(request);
        int line = c0.lineNumber();
        if (c0.mdata() != (reads.header(request) & 0xFFFF)) {
            found(Violation.FIU_MDATA, c0, request, "");
        }
        if (isChannelWrong(state, c0.channelUsed(), c0.hit())) {
            found(Violation.FIU_VC_USED, c0, request, "");
        }
        if ((state & 1 << line) == 0) {
            found(Violation.FIU_CL_NUM, c0, request, "");
            return;
        }
        reads.setState(request, answered(state, line, c0.channelUsed()));
        order.arrived(request, line, c0);
        if ((state & EXCUSED) == 0) {
            hazards.readAnswered(lineAddress(reads, request) + line);
        }
    }

    /// A valid response on Rx C1.
    void response(long cycle, C1Rx c1, long request) {
        if (writes.isForgotten(request)) {
            return;
        }
        boolean early = request == writes.count() - 1 && isEarly(cycle, c1);
        Violation violation = whyUnexpected(writes, request, early);
        if (violation != null) {
            found(violation, c1, request, "");
            return;
        }
        int state = writes.state(request);
        int kind = state >> KIND_SHIFT & 0xF;
        if (c1.responseType() != kind) {
            found(Violation.FIU_RSP_UNSOLICITED, c1, request, "the request is of another type");
            return;
        }
        if (kind == INTERRUPT
                ? c1.interruptId() != (writes.header(request) & 3)
                : c1.mdata() != (writes.header(request) & 0xFFFF)) {
            found(Violation.FIU_MDATA, c1, request, "");
        }
        if (kind == FENCE) {
            writes.setState(request, state & ~PENDING);
            hazards.fenceAnswered(request, state >> VC_SHIFT & 3);
            order.fenceAnswered(request, state >> VC_SHIFT & 3);
            return;
        }
        if (isChannelWrong(state, c1.channelUsed(), kind != INTERRUPT && c1.hit())) {
            found(Violation.FIU_VC_USED, c1, request, "");
        }
        if (kind == INTERRUPT) {
            writes.setState(request, state & ~PENDING);
        } else if (c1.packed()) {
            packedResponse(c1, request, state);
        } else {
            lineResponse(c1, request, state);
        }
    }

    /// Whether this answer to the newest request comes before what it answers: of a line its beat,
    /// else the last beat.
    private boolean isEarly(long cycle, C1Rx c1) {
        boolean isNow = cycle == lastBeatCycle;
        if (c1.isWriteResponse() && !c1.packed()) {
            int lengthCode = writes.state(writes.count() - 1) >> LENGTH_SHIFT & 3;
            int line = c1.lineNumber();
            return line <= lengthCode && line >= (isNow ? beats - 1 : beats);
        }
        return isNow || isOpen(writes.count() - 1);
    }

    /// CCIP-ENC-10: the size of the payload is in cl_num.
    private void packedResponse(C1Rx c1, long request, int state) {
        int lengthCode = state >> LENGTH_SHIFT & 3;
        if ((state & PENDING) != LINES[lengthCode]) {
            found(Violation.FIU_RSP_COUNT, c1, request, "lines were answered one by one before");
            return;
        }
        if (c1.lineNumber() != lengthCode && (state & EXCUSED) == 0) {
            found(Violation.FIU_CL_NUM, c1, request, "");
        }
        writes.setState(request, state & ~PENDING);
        order.writeAnswered(request, LINES[lengthCode], state, c1.channelUsed());
        long address = lineAddress(writes, request);
        hazards.writeAnswered(address, lengthCode + 1, request, c1.channelUsed());
    }

    /// CCIP-ENC-9: the index of the line is in cl_num.
    private void lineResponse(C1Rx c1, long request, int state) {
        int line = c1.lineNumber();
        if ((state & 1 << line) == 0) {
            found(Violation.FIU_CL_NUM, c1, request, "");
            return;
        }
        writes.setState(request, answered(state, line, c1.channelUsed()));
        order.writeAnswered(request, 1 << line, state, c1.channelUsed());
        hazards.writeAnswered(lineAddress(writes, request) + line, 1, request, c1.channelUsed());
    }

    private static @Nullable Violation whyUnexpected(
            Outstanding requests, long request, boolean early) {
        if (request < 0 || request >= requests.count()) {
            return Violation.FIU_RSP_UNSOLICITED;
        }
        if (requests.isFlushed(request)) {
            return Violation.FIU_RESET_UNFLUSHED;
        }
        if (early) {
            return Violation.FIU_RSP_EARLY;
        }
        if (!requests.knows(request) || (requests.state(request) & PENDING) == 0) {
            return Violation.FIU_RSP_COUNT;
        }
        int state = requests.state(request);
        if ((state & SENT_IN_RESET) != 0) {
            return Violation.FIU_RSP_UNSOLICITED;
        }
        return (state & SENT_AFTER_ERROR) != 0 ? Violation.FIU_ACCEPT_AFTER_ERROR : null;
    }

    /// Whether a response names another channel than it may, or a hit where no cache is.
    ///
    /// CCIP-RSP-7, CCIP-MCL-12: all lines of a request use one channel.
    private boolean isChannelWrong(int state, int used, boolean hit) {
        int asked = state >> VC_SHIFT & 3;
        int before = state >> VC_USED_SHIFT & 3;
        boolean isOther = (asked != VA && used != asked) || (before != 0 && used != before);
        return isOther || !isLink[used] || (hit && !(profile.cached() && used == VL0));
    }

    private static int answered(int state, int line, int used) {
        return (state & ~(1 << line)) | used << VC_USED_SHIFT;
    }

    private boolean isOpen(long write) {
        return writes.knows(write) && (writes.state(write) & OPEN) != 0;
    }

    /// The run has ended: what was not answered for long is missing.
    void finish(long cycle) {
        for (long i = reads.nextOwed(0); i < reads.count(); i = reads.nextOwed(i + 1)) {
            if (reads.age(i, cycle) >= Checker.RESPONSE_CYCLES) {
                missing(Channel.RX_C0, i, lineAddress(reads, i));
            }
        }
        for (long i = writes.nextOwed(0); i < writes.count(); i = writes.nextOwed(i + 1)) {
            if (!isOpen(i) && writes.age(i, cycle) >= Checker.RESPONSE_CYCLES) {
                missing(Channel.RX_C1, i, isWrite(i) ? lineAddress(writes, i) : NO_ADDRESS);
            }
        }
    }

    private boolean isWrite(long request) {
        return (writes.state(request) >> KIND_SHIFT & 0xF) == WRITE;
    }

    private void missing(Channel channel, long request, long address) {
        if (reporter.noted(Violation.FIU_RSP_MISSING)) {
            reporter.deliver(Violation.FIU_RSP_MISSING, channel, "", request, address, "");
        }
    }

    /// The requests that wait for a response, one line of text each, at most `limit`.
    List<String> describe(int limit) {
        List<String> text = new ArrayList<>();
        for (long i = reads.nextOwed(0);
                i < reads.count() && text.size() < limit;
                i = reads.nextOwed(i + 1)) {
            text.add(
                    "C0 request "
                            + i
                            + ": read of line 0x"
                            + Long.toHexString(lineAddress(reads, i)));
        }
        for (long i = writes.nextOwed(0);
                i < writes.count() && text.size() < limit;
                i = writes.nextOwed(i + 1)) {
            text.add("C1 request " + i + ": " + describeWrite(i));
        }
        return text;
    }

    private String describeWrite(long request) {
        int kind = writes.state(request) >> KIND_SHIFT & 0xF;
        if (kind == FENCE) {
            return "fence";
        }
        if (kind == INTERRUPT) {
            return "interrupt " + (writes.header(request) & 3);
        }
        return (isOpen(request) ? "open burst at line 0x" : "write of line 0x")
                + Long.toHexString(lineAddress(writes, request));
    }

    private void found(Violation violation, C0Rx c0, long request, String detail) {
        if (reporter.noted(violation)) {
            long line = reads.knows(request) ? lineAddress(reads, request) : NO_ADDRESS;
            reporter.deliver(violation, Channel.RX_C0, HeaderText.of(c0), request, line, detail);
        }
    }

    private void found(Violation violation, C1Rx c1, long request, String detail) {
        if (reporter.noted(violation)) {
            boolean hasLine = writes.knows(request) && isWrite(request);
            long line = hasLine ? lineAddress(writes, request) : NO_ADDRESS;
            reporter.deliver(violation, Channel.RX_C1, HeaderText.of(c1), request, line, detail);
        }
    }

    /// Of the first line.
    static long lineAddress(Outstanding requests, long request) {
        return requests.header(request) << 6 >>> 22;
    }
}
