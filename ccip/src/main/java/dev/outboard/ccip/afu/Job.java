package dev.outboard.ccip.afu;

import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;

/// What an AFU does for software one after the other: started by a register, and told done by
/// another one. Software sets [#START] of the control register, which reads as 0, and polls the
/// status register for [#DONE], or is told by an interrupt if it has asked for one.
public final class Job {
    /// Bit 0 of the control register.
    public static final long START = 1;

    /// Bit 1 of the control register, written with [#START]: when this job is done, interrupt 0
    /// tells the processor.
    public static final long INTERRUPT = 1 << 1;

    /// Bit 0 of the status register: the job started last has ended, and its result can be read.
    public static final long DONE = 1;

    /// Bits 15..8 of the status register of a job that is done: how it has ended; 0 if well.
    public static final int CODE_SHIFT = 8;

    /// The interrupt that tells.
    public static final int INTERRUPT_ID = 0;

    private static final int FENCE_TAG = 0xFFFF;

    private final CsrSpace csrs;
    private final int control;
    private final int status;
    private boolean running;

    /// The job is done but for a fence, which is still to be driven or answered, and an interrupt.
    private boolean ending;

    private boolean fenceDriven;
    private boolean fenceAnswered;
    private boolean interrupts;

    /// Before the answer to an interrupt another one may be lost (CCI-P manual 1.3.3).
    private boolean interruptUnanswered;

    private int code;

    /// Defines the two registers.
    public Job(CsrSpace csrs, int control, int status) {
        this.csrs = csrs.readWrite(control, 0, START | INTERRUPT).readOnly(status, 0);
        this.control = control;
        this.status = status;
    }

    /// One rising edge of pClk, the registers included. Returns whether a job starts with it, which
    /// none does while one runs.
    public boolean clock(Rx rx, Tx tx) {
        csrs.clock(rx, tx);
        if (rx.softReset) {
            running = false;
            ending = false;
            interruptUnanswered = false;
            return false;
        }
        if (rx.c1.rspValid && rx.c1.responseType() == C1Response.INTR.code()) {
            interruptUnanswered = false;
        }
        if (ending) {
            finish(rx, tx);
        }
        long asked = csrs.written(control) ? csrs.get(control) : 0;
        csrs.set(control, 0);
        if (running || ending || (asked & START) == 0) {
            return false;
        }
        csrs.set(status, 0);
        interrupts = (asked & INTERRUPT) != 0;
        running = true;
        return true;
    }

    /// Whether a job was started that has not ended.
    public boolean running() {
        return running;
    }

    /// The job has ended: its writes are answered. Software is told once they are in memory, which
    /// only a fence says (CCI-P manual 1.3.13.1.1); meanwhile the AFU drives nothing on Tx C1.
    ///
    /// @param how 0 if well, up to 255
    public void end(int how) {
        running = false;
        ending = true;
        fenceDriven = false;
        fenceAnswered = false;
        code = how;
    }

    private void finish(Rx rx, Tx tx) {
        if (!fenceDriven) {
            if (!rx.c1TxAlmFull) {
                tx.c1.fence(VirtualChannel.VA, FENCE_TAG);
                fenceDriven = true;
            }
            return;
        }
        fenceAnswered |= rx.c1.rspValid && rx.c1.responseType() == C1Response.WRFENCE.code();
        if (fenceAnswered && (!interrupts || interrupt(rx, tx))) {
            ending = false;
            csrs.set(status, DONE | (long) code << CODE_SHIFT);
        }
    }

    /// Returns whether it is driven.
    private boolean interrupt(Rx rx, Tx tx) {
        if (rx.c1TxAlmFull || interruptUnanswered) {
            return false;
        }
        tx.c1.interrupt(VirtualChannel.VA, INTERRUPT_ID);
        interruptUnanswered = true;
        return true;
    }

    /// For how many cycles from the one clocked last nothing happens if the FIU sends nothing: no
    /// job runs, or it drove no request though it might have and so waits for responses.
    public long quietCycles(Rx rx, Tx tx) {
        boolean waits = !(tx.c0.valid || tx.c1.valid || rx.c0TxAlmFull || rx.c1TxAlmFull);
        if (ending && (!fenceDriven || fenceAnswered)) {
            return 0;
        }
        return waits || !running ? Long.MAX_VALUE : 0;
    }
}
