package dev.outboard.ccip.checker;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.C2Tx;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// Watches a port and reports whatever breaks CCI-P: on the AFU's side, on the FIU's own, and what
/// FIU and host found themselves. It drives nothing and, as long as nothing is wrong, allocates
/// nothing.
///
/// It belongs to the simulation that clocks it, on whose thread all its methods are called.
///
/// ```java
/// Checker checker = new Checker(Profile.PAC_A10, ErrorPolicy.LOG);
/// // clock the port with the checker among its monitors
/// checker.finish(cycle);
/// checker.reports().forEach(System.out::println);
/// ```
public final class Checker implements Monitor {
    /// How many reports of each violation are kept, so that none crowds out another; all are
    /// counted.
    public static final int KEPT_REPORTS = 100;

    /// Cycles of reset in which an AFU may still drive requests: its registers take time to clear.
    public static final int RESET_GRACE_CYCLES = 16;

    /// The shortest reset (CCI-P manual 1.3.11).
    public static final int RESET_CYCLES = 256;

    /// A request that has no response after so many cycles will have none.
    public static final int RESPONSE_CYCLES = 65536;

    private static final long NEVER = -1;

    private final Reporter reporter;
    private final Hazards hazards;
    private final ResponseChecks responses;
    private final OrderChecks order;
    private final C0TxChecks c0;
    private final C1TxChecks c1;
    private final MmioChecks mmio;
    private final PowerChecks power;
    private final UmsgChecks umsgs;
    private final Coverage coverage = new Coverage();
    private final AlmostFull c0Full = new AlmostFull();
    private final AlmostFull c1Full = new AlmostFull();

    /// The cycle that is being looked at.
    private long cycle;

    /// The first cycle in which the AFU could sample this reset, or [#NEVER] outside of one.
    private long resetSince = NEVER;

    /// Before the first edge Tx means nothing.
    private boolean isPoweringUp = true;

    /// What the AFU could know of the error signal when it drove this cycle.
    private boolean errorSeen;

    private long deadline = Long.MAX_VALUE;

    /// A checker for one port of this platform, before the first cycle of a run, which begins in
    /// reset.
    public Checker(Profile profile, ErrorPolicy policy) {
        reporter = new Reporter(policy);
        hazards = new Hazards(reporter, profile);
        responses = new ResponseChecks(reporter, profile, hazards);
        order = responses.order();
        c0 = new C0TxChecks(reporter, profile);
        c1 = new C1TxChecks(reporter, profile, responses, hazards);
        mmio = new MmioChecks(reporter, profile.mmioTimeout());
        power = new PowerChecks(reporter);
        umsgs = new UmsgChecks(reporter);
    }

    /// Sets how much a violation matters in this run.
    ///
    /// CCIP-CHK-2, CCIP-ERR-6: a run sets how much a violation matters.
    public Checker severity(Violation violation, Severity severity) {
        reporter.severity(violation, severity);
        hazards.track(
                severity(Violation.HAZ_RAW) != Severity.OFF
                        || severity(Violation.HAZ_WAR) != Severity.OFF
                        || severity(Violation.HAZ_WAW) != Severity.OFF);
        return this;
    }

    /// Calls `listener` with each report of `atLeast` this severity, also those beyond
    /// [#KEPT_REPORTS].
    public Checker onReport(Severity atLeast, Consumer<Report> listener) {
        reporter.onReport(atLeast, listener);
        return this;
    }

    /// Calls `fiu` with each protocol error of the AFU under [ErrorPolicy#HARDWARE], in the cycle
    /// in which it became certain.
    public Checker onPortError(Consumer<Report> fiu) {
        reporter.onPortError(fiu);
        return this;
    }

    /// The host says that the AFU announces data by writing this line, so that an announcement
    /// without a fence before it is reported ([Violation#HAZ_FLAG_UNFENCED]).
    public Checker markFlag(long line) {
        hazards.markFlag(line);
        return this;
    }

    /// The host's link brought an MMIO request to the FIU, which is to send it to the AFU after
    /// those that came before. The order is checked once this was called.
    ///
    /// @param address DWORD offset
    public void mmioArrived(boolean isRead, int address, MmioLength length) {
        mmio.arrived(isRead, address, length);
    }

    /// From now on the host only tries reads of this register, and reports itself if they are not
    /// answered: an AFU may claim a register that it does not have.
    ///
    /// @param address DWORD offset, or -1 for no register
    public void mmioTries(int address) {
        mmio.tries(address);
    }

    /// A reset dropped so many MMIO requests, the latest that arrived.
    public void mmioDropped(int requests) {
        mmio.dropped(requests);
    }

    /// The FIU lets lines of this write, or this interrupt, leave: a later request on the same
    /// channel no longer passes it. The order of memory requests is checked once this was called.
    ///
    /// @param request the number of the request on C1
    public void linesCommitted(long request) {
        order.committed(request);
    }

    /// The FIU has written lines to memory, where everybody sees them.
    ///
    /// @param request the number of the request on C1
    /// @param lines which lines of it, one bit each
    /// @param channel code of the physical channel that it took
    public void linesWritten(long request, int lines, int channel) {
        order.written(request, lines, channel);
    }

    /// The FIU has read lines from memory.
    ///
    /// @param request the number of the request on C0
    /// @param lines which lines of it, one bit each
    /// @param channel code of the physical channel that it took
    public void linesRead(long request, int lines, int channel) {
        order.read(request, lines, channel);
    }

    /// CCIP-CHK-1: what is wrong is reported in the cycle in which it is certain.
    @Override
    public void clock(long cycle, Tx tx, Rx rx, Answers answers) {
        this.cycle = cycle;
        reporter.cycle(cycle);
        if (tx.c0.valid) {
            c0(tx.c0, rx.error);
        }
        if (tx.c1.valid) {
            c1(tx.c1, rx.error);
        }
        if (tx.c2.mmioRdValid) {
            c2(tx.c2);
        }
        isPoweringUp = false;
        if (cycle >= deadline) {
            deadlines();
        }
        if (rx.softReset || resetSince != NEVER) {
            reset(rx.softReset);
        }
        if (rx.error || errorSeen) {
            error(rx);
        }
        if (rx.powerState != power.state()) {
            power.change(rx.powerState);
        }
        if (rx.c0.rspValid || rx.c0.mmioRdValid || rx.c0.mmioWrValid) {
            rxC0(rx.c0, answers.c0Request);
        }
        if (rx.c1.rspValid) {
            coverage.response(rx.c1);
            responses.response(cycle, rx.c1, answers.c1Request);
        }
        c0Full.sample(rx.c0TxAlmFull && !rx.softReset);
        c1Full.sample(rx.c1TxAlmFull && !rx.softReset);
    }

    @Override
    public long nextCycle(long cycle) {
        return deadline;
    }

    /// The run ends after this cycle: reports what AFU and FIU still owe, of requests those that
    /// had [#RESPONSE_CYCLES] to be answered.
    public void finish(long cycle) {
        this.cycle = cycle;
        reporter.cycle(cycle);
        c1.finish();
        responses.finish(cycle);
        power.finish();
    }

    /// Reports what FIU or host found themselves, where there is no beat to show.
    ///
    /// @param detail what was found, a clause without a full stop
    /// @throws ViolationException if the policy is to stop
    public void report(Violation violation, long cycle, String detail) {
        report(violation, violation.channel(), cycle, "", Answers.NONE, Report.NO_ADDRESS, detail);
    }

    /// Reports what was found in one beat or request.
    ///
    /// @param header the decoded header ([HeaderText]), may be empty
    /// @param request the number of the request on its channel, or [Answers#NONE]
    /// @param address the line address, or [Report#NO_ADDRESS]
    /// @param detail what was found, a clause without a full stop; may be empty
    /// @throws ViolationException if the policy is to stop
    public void report(
            Violation violation,
            Channel channel,
            long cycle,
            String header,
            long request,
            long address,
            String detail) {
        if (violation == Violation.MEM_UNMAPPED || violation == Violation.MEM_NO_PERMISSION) {
            responses.excuse(channel, request);
        }
        reporter.report(violation, channel, cycle, header, request, address, detail);
    }

    /// What traffic there was.
    public Coverage coverage() {
        return coverage;
    }

    /// What is waited for, one line of text each: requests without response, at most `limit` of
    /// them, and the oldest MMIO read.
    public List<String> outstanding(int limit) {
        List<String> text = responses.describe(limit);
        if (!mmio.describeOldest().isEmpty()) {
            text.add(mmio.describeOldest());
        }
        return text;
    }

    /// How much a violation matters in this run.
    public Severity severity(Violation violation) {
        return reporter.severity(violation);
    }

    /// How often a violation was seen.
    public long count(Violation violation) {
        return reporter.count(violation);
    }

    /// The violations that were seen, with how often.
    public Map<Violation, Long> counts() {
        Map<Violation, Long> seen = new EnumMap<>(Violation.class);
        for (Violation violation : Violation.values()) {
            if (count(violation) != 0) {
                seen.put(violation, count(violation));
            }
        }
        return seen;
    }

    /// Warnings and errors in order, the first [#KEPT_REPORTS] of each violation.
    public List<Report> reports() {
        return reporter.reports();
    }

    private void c0(C0Tx c0Tx, boolean error) {
        long request = responses.reads();
        if (inReset()) {
            responses.readSent(cycle, c0Tx, Outstanding.SENT_IN_RESET);
            if (isPastGrace()) {
                c0.found(Violation.C0TX_DURING_RESET, c0Tx, request);
            }
            return;
        }
        power.beat();
        coverage.read(cycle, c0Tx, c0Full.isFull());
        if (errorSeen) {
            c0.found(Violation.TX_AFTER_ERROR, c0Tx, request);
        }
        boolean isServed = c0.check(c0Tx, request);
        if (c0Full.isOverrun()) {
            c0.found(Violation.C0TX_ALMFULL_OVERRUN, c0Tx, request);
            isServed = false;
        }
        if (isServed && !error) {
            hazards.readSent(c0Tx, request);
        }
        responses.readSent(
                cycle,
                c0Tx,
                (isServed ? 0 : Outstanding.EXCUSED) | (error ? Outstanding.SENT_AFTER_ERROR : 0));
    }

    private void c1(C1Tx c1Tx, boolean error) {
        if (inReset()) {
            c1.beatInReset(c1Tx);
            if (isPastGrace()) {
                c1.found(Violation.C1TX_DURING_RESET, c1Tx, responses.writes() - 1);
            }
            return;
        }
        power.beat();
        coverage.beat(cycle, c1Tx, c1Full.isFull());
        if (errorSeen) {
            c1.found(Violation.TX_AFTER_ERROR, c1Tx, responses.writes());
        }
        c1.beat(c1Tx, error ? Outstanding.SENT_AFTER_ERROR : 0);
        umsgs.written(c1Tx, responses.writes() - 1);
        if (c1Full.isOverrun()) {
            c1.found(Violation.C1TX_ALMFULL_OVERRUN, c1Tx, responses.writes() - 1);
            responses.excuse(Channel.TX_C1, responses.writes() - 1);
        }
        deadline = nextDeadline();
    }

    private void c2(C2Tx c2) {
        if (!inReset()) {
            mmio.response(c2);
        } else if (isPastGrace()) {
            mmio.found(Violation.MMIO_RSP_DURING_RESET, c2, "");
        }
        deadline = nextDeadline();
    }

    /// Whether the AFU knew of a reset when it drove this cycle.
    private boolean inReset() {
        return isPoweringUp || resetSince != NEVER;
    }

    private boolean isPastGrace() {
        return !isPoweringUp && cycle > resetSince + RESET_GRACE_CYCLES;
    }

    private void deadlines() {
        if (cycle >= c1.deadline()) {
            c1.burstIsStuck();
        }
        mmio.expire();
        deadline = nextDeadline();
    }

    private long nextDeadline() {
        return Math.min(c1.deadline(), mmio.deadline());
    }

    private void reset(boolean softReset) {
        if (softReset && resetSince == NEVER) {
            resetSince = cycle;
            responses.excuseAll();
            c1.cut();
            mmio.reset();
        }
        if (softReset) {
            return;
        }
        if (cycle - resetSince < RESET_CYCLES && reporter.noted(Violation.FIU_RESET_SHORT)) {
            reporter.deliver(Violation.FIU_RESET_SHORT, "it lasted " + (cycle - resetSince));
        }
        resetSince = NEVER;
        responses.flush();
        hazards.flush();
        c1.flush();
        deadline = nextDeadline();
    }

    private void error(Rx rx) {
        if (rx.error && !errorSeen) {
            responses.excuseAll();
        }
        if (rx.error
                && !rx.softReset
                && !(rx.c0TxAlmFull && rx.c1TxAlmFull)
                && reporter.noted(Violation.FIU_ACCEPT_AFTER_ERROR)) {
            reporter.deliver(Violation.FIU_ACCEPT_AFTER_ERROR, "an almost-full wire is 0");
        }
        errorSeen = rx.error;
    }

    private void rxC0(C0Rx c0Rx, long request) {
        int valids =
                (c0Rx.rspValid ? 1 : 0) + (c0Rx.mmioRdValid ? 1 : 0) + (c0Rx.mmioWrValid ? 1 : 0);
        if (valids > 1) {
            if (reporter.noted(Violation.FIU_C0RX_MULTI_VALID)) {
                reporter.deliver(Violation.FIU_C0RX_MULTI_VALID, valids + " valid wires");
            }
        } else if (c0Rx.rspValid) {
            coverage.response(c0Rx);
            responses.response(cycle, c0Rx, request);
            if (c0Rx.isUmsg()) {
                umsgs.arrived(c0Rx, responses.isReadOwed());
            }
        } else {
            coverage.mmio(c0Rx);
            mmio.request(c0Rx, resetSince != NEVER);
            deadline = nextDeadline();
        }
    }
}
