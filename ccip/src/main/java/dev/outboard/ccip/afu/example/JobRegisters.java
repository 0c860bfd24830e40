package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.UUID;

/// The registers that all examples with a job to do have in common, in Java and in SystemVerilog
/// alike. Software sets what the job is, sets [#START] of [#CONTROL], and polls [#STATUS] for
/// [#DONE]. From [#FIRST_OWN] on an example has registers of its own.
public final class JobRegisters {
    /// Line address of what the job reads.
    public static final int SOURCE = 0x40;

    /// Line address of what the job writes.
    public static final int DESTINATION = 0x48;

    /// How many lines.
    public static final int LINES = 0x50;

    /// Writing [#START] starts the job, unless one runs. Reads as 0.
    public static final int CONTROL = 0x58;

    /// Bit 0 is [#DONE].
    public static final int STATUS = 0x60;

    /// Whatever software keeps here.
    public static final int SCRATCH = 0x68;

    /// The first register that is an example's own.
    public static final int FIRST_OWN = 0x70;

    /// Bit 0 of [#CONTROL].
    public static final long START = 1;

    /// Bit 0 of [#STATUS]: the job started last has ended, and its result can be read.
    public static final long DONE = 1;

    private static final int FENCE_TAG = 0xFFFF;

    final CsrSpace csrs;
    private boolean running;

    /// The job is done but for a fence, which is still to be driven or answered.
    private boolean ending;

    private boolean fenceDriven;

    JobRegisters(UUID afuId) {
        csrs =
                new CsrSpace(afuId)
                        .readWrite(SOURCE)
                        .readWrite(DESTINATION)
                        .readWrite(LINES)
                        .readWrite(CONTROL, 0, START)
                        .readOnly(STATUS, 0)
                        .readWrite(SCRATCH);
    }

    /// One rising edge of pClk. Returns whether a job starts with it.
    boolean clock(Rx rx, Tx tx) {
        csrs.clock(rx, tx);
        if (rx.softReset) {
            running = false;
            ending = false;
            return false;
        }
        if (ending) {
            fence(rx, tx);
        }
        boolean asked = csrs.written(CONTROL) && (csrs.get(CONTROL) & START) != 0;
        csrs.set(CONTROL, 0);
        if (running || ending || !asked) {
            return false;
        }
        csrs.set(STATUS, 0);
        running = true;
        return true;
    }

    /// Whether a job was started that has not ended.
    boolean running() {
        return running;
    }

    /// The job has ended: its writes are answered. Software is told once they are in memory, which
    /// only a fence says (CCI-P manual 1.3.13.1.1); meanwhile the AFU drives nothing on Tx C1.
    void end() {
        running = false;
        ending = true;
        fenceDriven = false;
    }

    private void fence(Rx rx, Tx tx) {
        if (!fenceDriven && !rx.c1TxAlmFull) {
            tx.c1.fence(VirtualChannel.VA, FENCE_TAG);
            fenceDriven = true;
        } else if (rx.c1.rspValid && rx.c1.responseType() == C1Response.WRFENCE.code()) {
            ending = false;
            csrs.set(STATUS, DONE);
        }
    }

    /// For how many cycles from the one clocked last nothing happens if the FIU sends nothing: no
    /// job runs, or it drove no request though it might have and so waits for responses.
    long quietCycles(Rx rx, Tx tx) {
        boolean waits = !(tx.c0.valid || tx.c1.valid || rx.c0TxAlmFull || rx.c1TxAlmFull);
        if (ending && !fenceDriven) {
            return 0;
        }
        return waits || !running ? Long.MAX_VALUE : 0;
    }

    long source() {
        return csrs.get(SOURCE);
    }

    long destination() {
        return csrs.get(DESTINATION);
    }

    long lines() {
        return csrs.get(LINES);
    }
}
