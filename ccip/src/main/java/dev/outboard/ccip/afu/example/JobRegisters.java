package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.afu.Job;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
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
    public static final long START = Job.START;

    /// Bit 0 of [#STATUS]: the job started last has ended, and its result can be read.
    public static final long DONE = Job.DONE;

    final CsrSpace csrs;
    private final Job job;

    JobRegisters(UUID afuId) {
        csrs = new CsrSpace(afuId).readWrite(SOURCE).readWrite(DESTINATION).readWrite(LINES);
        job = new Job(csrs, CONTROL, STATUS);
        csrs.readWrite(SCRATCH);
    }

    /// One rising edge of pClk. Returns whether a job starts with it.
    boolean clock(Rx rx, Tx tx) {
        return job.clock(rx, tx);
    }

    /// Whether a job was started that has not ended.
    boolean running() {
        return job.running();
    }

    /// The job has ended: its writes are answered.
    void end() {
        job.end(0);
    }

    /// As [Job#quietCycles].
    long quietCycles(Rx rx, Tx tx) {
        return job.quietCycles(rx, tx);
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
