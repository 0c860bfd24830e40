package dev.outboard.ccip.fiu;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.CacheLookup;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.AfterError;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// The FPGA interface unit of one port: takes the beats of the AFU in, lets them reach host memory,
/// and answers (CCI-P manual 1.2.1). A pure machine of cycles; [#clock] is one rising edge of pClk.
public final class Fiu {
    /// Cycles that softReset lasts at least (CCI-P manual 1.3.11).
    ///
    /// CCIP-RST-9: a run begins in reset.
    public static final int RESET_CYCLES = 256;

    /// From the edge at which softReset falls until a beat comes that was driven in knowledge of
    /// it.
    ///
    /// CCIP-RST-6: what the AFU drove in the reset is dropped.
    private static final int RESET_TAIL = 2;

    private static final int ALMOST_FULL = 32;

    // The reserved bits of headers, by the tables of CCI-P manual 1.3.8.1. Bit 23 of a read is that
    // of a failed speculative read in later packages: always 0 here, where there is none.
    private static final int READ_RESERVED = 1 << 25 | 1 << 22;
    private static final int WRITE_RESERVED = 1 << 25 | 1 << 22;
    private static final int FENCE_RESERVED = 0xFF << 20;
    private static final int INTERRUPT_RESERVED = 0x3F << 20 | 0x3FFF << 2;

    private final Mode mode;
    private final AfterError afterError;
    private final Checker checker;
    private final Chance chance;
    private final Caches caches;
    private final MemoryPath path;
    private final Schedule schedule;
    private final Acceptance acceptance;
    private final Mmio mmio;
    private final @Nullable Umsgs umsgs;
    private final Interrupts interrupts;
    private final AlmostFull c0AlmostFull;
    private final AlmostFull c1AlmostFull;

    private long cycle;
    private int resetLeft = RESET_CYCLES;

    /// Edges at which what the AFU sends is dropped: it may drive its last in ignorance of the end
    /// of the reset.
    private int dropsLeft = RESET_CYCLES + RESET_TAIL;

    private PowerState power = PowerState.AP0;
    private boolean error;
    private int c0Idle;
    private int c1Idle;

    // What wires carry that mean nothing.
    private int unknownC0Hdr;
    private int unknownC1Hdr;
    private final long[] unknownData = new long[Line.LONGS];

    /// An FIU that holds its AFU in reset, as after power-up.
    public Fiu(
            Parameters parameters,
            HostMemory memory,
            Checker checker,
            Mmio mmio,
            @Nullable Umsgs umsgs,
            Interrupts interrupts) {
        Profile profile = parameters.profile();
        mode = parameters.mode();
        afterError = parameters.afterError();
        this.checker = checker;
        this.mmio = mmio;
        this.umsgs = umsgs;
        this.interrupts = interrupts;
        long seed = parameters.seed();
        chance = new Chance(seed);
        caches = new Caches(profile);
        if (umsgs != null) {
            umsgs.readThrough(caches.fpga());
        }
        schedule =
                mode == Mode.TIMED
                        ? new TimedSchedule(
                                profile, caches, new Chance(seed + 1), parameters.isMeasured())
                        : new AdversarialSchedule(profile, caches, new Chance(seed + 1));
        path = new MemoryPath(schedule, events(), parameters, new Chance(seed + 2));
        acceptance = new Acceptance(parameters, memory, checker, path);
        boolean shuffles = mode == Mode.ADVERSARIAL;
        c0AlmostFull = new AlmostFull(ALMOST_FULL, shuffles ? new Chance(seed + 3) : null);
        c1AlmostFull = new AlmostFull(ALMOST_FULL, shuffles ? new Chance(seed + 4) : null);
    }

    private MemoryEvents events() {
        return new MemoryEvents() {
            @Override
            public void unmappedInFlight(PendingRequest request, int lines) {
                boolean read = request.kind == PendingRequest.READ;
                checker.report(
                        Violation.MEM_UNMAPPED,
                        read ? Channel.TX_C0 : Channel.TX_C1,
                        cycle,
                        "",
                        request.ordinal,
                        request.address + PendingRequest.lowest(lines),
                        "its memory was unmapped while the request was in flight");
            }

            @Override
            public void committed(PendingRequest request) {
                checker.linesCommitted(request.ordinal);
            }

            @Override
            public void reachedMemory(PendingRequest request, int lines) {
                if (request.kind == PendingRequest.READ) {
                    checker.linesRead(request.ordinal, lines, request.channel);
                } else {
                    checker.linesWritten(request.ordinal, lines, request.channel);
                }
            }

            @Override
            public void interrupt(int id) {
                if (mode == Mode.TIMED || !interrupts.isUnanswered(id)) {
                    interrupts.arrive(cycle, id);
                }
            }
        };
    }

    /// One rising edge of pClk: `tx` is what the AFU drove since the edge before; `rx` and
    /// `answers` become what the FIU drives until the next.
    ///
    /// CCIP-MOD-4: the FIU takes what the AFU drove after the edge before.
    ///
    /// CCIP-PWR-2, CCIP-PWR-5: requests are admitted in every second or tenth cycle only.
    public void clock(long cycle, Tx tx, Rx rx, Answers answers) {
        this.cycle = cycle;
        rx.idle();
        answers.c0Request = Answers.NONE;
        answers.c1Request = Answers.NONE;
        rx.softReset = resetLeft > 0;
        mmio.clock(cycle, rx.softReset);
        if (umsgs != null) {
            umsgs.clock(cycle);
        }
        if (dropsLeft > 0) {
            drop(tx);
        } else {
            accept(tx);
        }
        if (resetLeft > 0 && --resetLeft == 0) {
            path.flush();
        }
        if (power == PowerState.AP0 || cycle % (power == PowerState.AP1 ? 2 : 10) == 0) {
            path.admit();
            schedule.clock(path);
        }
        drive(rx, answers);
        rx.c0TxAlmFull = c0AlmostFull.drive(cycle, path.waitingReads(), isHeld());
        rx.c1TxAlmFull = c1AlmostFull.drive(cycle, path.waitingBeats(), isHeld());
        rx.powerState = power;
        rx.error = error;
    }

    /// After an error almost-full is held; in reset it means nothing.
    ///
    /// CCIP-FLW-14: in reset the almost-full wires mean nothing.
    private boolean isHeld() {
        return error || (resetLeft > 0 && chance.in256(128));
    }

    /// CCIP-FLW-1, CCIP-FLW-8: C0 and C1 have flow control of their own, C2 has none.
    private void accept(Tx tx) {
        boolean c0Room = c0AlmostFull.accepts(tx.c0.valid);
        boolean c1Room = c1AlmostFull.accepts(tx.c1.valid);
        take(tx, c0Room && !error, c1Room && !error);
        if (tx.c2.mmioRdValid) {
            mmio.response(tx.c2);
        }
    }

    /// What the AFU sends in reset is counted, and dropped.
    private void drop(Tx tx) {
        take(tx, false, false);
        if (--dropsLeft == 0) {
            acceptance.endReset();
        }
    }

    private void take(Tx tx, boolean acceptsC0, boolean acceptsC1) {
        if (tx.c0.valid && acceptsC0) {
            acceptance.accept(cycle, tx.c0);
        } else if (tx.c0.valid) {
            acceptance.refuseRead();
        }
        if (tx.c1.valid && acceptsC1) {
            acceptance.accept(cycle, tx.c1);
        } else if (tx.c1.valid) {
            acceptance.refuse(tx.c1);
        }
    }

    private void drive(Rx rx, Answers answers) {
        driveC0(rx.c0, rx.softReset, answers);
        driveC1(rx.c1, answers);
        c0Idle = rx.c0.rspValid || rx.c0.mmioRdValid || rx.c0.mmioWrValid ? 0 : c0Idle + 1;
        c1Idle = rx.c1.rspValid ? 0 : c1Idle + 1;
        if (isUnknown(c0Idle)) {
            if (changes(c0Idle)) {
                unknownC0Hdr = (int) chance.next() & C0Rx.HDR_MASK;
                chance.fillLine(unknownData, 0);
            }
            rx.c0.hdr = unknownC0Hdr;
            Line.copy(unknownData, rx.c0.data);
        }
        if (isUnknown(c1Idle)) {
            if (changes(c1Idle)) {
                unknownC1Hdr = (int) chance.next() & C0Rx.HDR_MASK;
            }
            rx.c1.hdr = unknownC1Hdr;
        }
    }

    /// Whether wires that mean nothing are to be driven. There are two objects for them, which take
    /// turns.
    ///
    /// CCIP-SIG-7: header and data carry garbage when they mean nothing.
    private boolean isUnknown(int idle) {
        return idle > 0 && (mode == Mode.ADVERSARIAL || idle <= 2);
    }

    /// Whether they carry other garbage than in the cycle before: in ADVERSARIAL mode always, else
    /// one stays.
    private boolean changes(int idle) {
        return mode == Mode.ADVERSARIAL || idle == 1;
    }

    /// CCIP-SIG-12a, CCIP-FLW-9a: one of MMIO, UMsg and read response, in any cycle.
    ///
    /// CCIP-UMSG-12, CCIP-RSP-16: neither a UMsg nor an MMIO write is answered.
    private void driveC0(C0Rx c0, boolean reset, Answers answers) {
        if (!reset && mmio.pending()) {
            mmio.drive(c0);
            return;
        }
        if (umsgs != null && !reset && umsgs.pending()) {
            umsgs.drive(c0);
            return;
        }
        int channel = schedule.delivery(path);
        if (channel == Schedule.NONE) {
            return;
        }
        PendingRequest read = path.deliverable(channel);
        int line = path.deliverableLine(channel);
        if (isAnswered()) {
            boolean hit = (read.hits & 1 << line) != 0;
            c0.readResponse(VirtualChannel.of(channel), hit, line, read.mdata);
            c0.hdr |= reserved(READ_RESERVED);
            System.arraycopy(read.data, PendingRequest.at(line), c0.data, 0, Line.LONGS);
            answers.c0Request = read.ordinal;
        }
        path.delivered(channel);
    }

    /// CCIP-SIG-12b, CCIP-FLW-9b: C1 answers what came on C1, and waits for nobody.
    private void driveC1(C1Rx c1, Answers answers) {
        int position = schedule.answer(path);
        if (position == Schedule.NONE) {
            return;
        }
        PendingRequest request = path.answer(position);
        if (isAnswered()) {
            respond(c1, request, path.answerLines(position));
            answers.c1Request = request.ordinal;
        }
        if (request.kind == PendingRequest.INTERRUPT) {
            interrupts.answered(request.mdata);
        }
        path.answered(position);
    }

    /// CCIP-RSP-14, CCIP-HDR-23: a fence is answered once, with its mdata.
    ///
    /// CCIP-CCH-9, CCIP-RSP-12: a packed response hits only if all lines did.
    private void respond(C1Rx c1, PendingRequest request, int lines) {
        VirtualChannel channel = VirtualChannel.of(request.channel);
        switch (request.kind) {
            case PendingRequest.FENCE -> {
                c1.fenceResponse(request.mdata);
                c1.hdr |= reserved(FENCE_RESERVED);
            }
            case PendingRequest.INTERRUPT -> {
                c1.interruptResponse(channel, request.mdata);
                c1.hdr |= reserved(INTERRUPT_RESERVED);
            }
            default -> {
                boolean hit = (request.hits & lines) == lines;
                if (request.packed) {
                    LineCount count = LineCount.ofLines(request.count);
                    c1.packedWriteResponse(channel, hit, count, request.mdata);
                } else {
                    int line = PendingRequest.lowest(lines);
                    c1.writeResponse(channel, hit, line, request.mdata);
                }
                c1.hdr |= reserved(WRITE_RESERVED);
            }
        }
    }

    /// Whether a response is sent: until an error, or as [AfterError] has it.
    ///
    /// CCIP-ERR-3: what is outstanding is answered, lost, or either by chance.
    private boolean isAnswered() {
        return !error
                || afterError == AfterError.COMPLETE
                || (afterError == AfterError.RANDOM && chance.in256(128));
    }

    /// What the reserved bits of a header carry.
    ///
    /// CCIP-SIG-6: reserved bits carry garbage, or zero in TIMED mode.
    private int reserved(int bits) {
        return mode == Mode.ADVERSARIAL ? (int) chance.next() & bits : 0;
    }

    /// Holds the AFU in reset for [#RESET_CYCLES] from the next edge.
    ///
    /// CCIP-RST-4, CCIP-RST-10: the port is reset at any time, caches and mappings stay.
    public void reset() {
        resetLeft = RESET_CYCLES;
        dropsLeft = RESET_CYCLES + RESET_TAIL;
        acceptance.reset();
        c0AlmostFull.reset();
        c1AlmostFull.reset();
        mmio.reset();
        interrupts.reset();
        if (umsgs != null) {
            umsgs.reset();
        }
    }

    /// A protocol error was seen (CCI-P manual 1.3.11): the error wire rises, and nothing more is
    /// accepted.
    ///
    /// CCIP-ERR-1: the error wire rises.
    public void protocolError() {
        error = true;
        wiresChange();
    }

    /// Lets requests in again; a port reset must follow.
    public void clearError() {
        error = false;
        wiresChange();
    }

    /// Asks the AFU to keep to this power, and throttles its memory requests.
    ///
    /// CCIP-PWR-1: pwrState says what the host asks for.
    public void power(PowerState state) {
        power = state;
        wiresChange();
    }

    /// Both objects for the wires have to carry it before cycles may be left out.
    private void wiresChange() {
        c1Idle = 0;
    }

    /// Tells of each lookup of the FPGA cache, if there is one.
    public void onLookup(Consumer<CacheLookup> listener) {
        FpgaCache cache = caches.fpga();
        if (cache != null) {
            cache.onLookup(listener);
        }
    }

    /// Raises the almost-full wire of a Tx channel in these cycles, whatever waits.
    public void raiseAlmostFull(Channel channel, LongPredicate cycles) {
        switch (channel) {
            case TX_C0 -> c0AlmostFull.force(cycles);
            case TX_C1 -> c1AlmostFull.force(cycles);
            default ->
                    throw new IllegalArgumentException(
                            channel + " has no almost-full wire; Tx C0 and Tx C1 have");
        }
    }

    /// The first cycle from `cycle` on in which an edge does something as long as neither AFU nor
    /// host does: `cycle` itself while anything is in flight or the wires do not yet carry what
    /// they will go on to carry.
    public long nextCycle(long cycle) {
        boolean busy =
                mode == Mode.ADVERSARIAL
                        || !isIdle()
                        || dropsLeft > 0
                        || c0Idle <= 2
                        || c1Idle <= 2
                        || !c0AlmostFull.isSteady()
                        || !c1AlmostFull.isSteady();
        if (busy) {
            return cycle;
        }
        long next = mmio.nextCycle();
        return Math.max(cycle, umsgs == null ? next : Math.min(next, umsgs.nextCycle()));
    }

    /// Whether nothing is in flight between AFU and memory.
    public boolean isIdle() {
        return path.isIdle();
    }
}
