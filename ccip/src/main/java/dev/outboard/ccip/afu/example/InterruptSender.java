package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.BurstWriter;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.Arrays;
import java.util.UUID;

/// Writes lines and then interrupts the processor. A fence stands between: without it an interrupt
/// does not wait for the writes, and software might find the old data (CCI-P manual 1.3.13.1).
///
/// Each long of a line is the number of lines before it. The job is done when each interrupt of
/// [#IDS] was issued.
public final class InterruptSender implements Afu {
    /// Which AFU this is.
    public static final UUID AFU_ID = UUID.fromString("53ec9ef6-9e57-465c-8e72-141352b3725d");

    /// The set of the interrupts to send: bit n for id n, 0 to 3.
    public static final int IDS = JobRegisters.FIRST_OWN;

    private static final long ALL_IDS = 0xF;
    private static final int WRITE_TAG = 0;
    private static final int FENCE_TAG = 1;

    private final JobRegisters job = new JobRegisters(AFU_ID);
    private final BurstWriter writer = new BurstWriter(WRITE_TAG);
    private long linesWritten;
    private boolean fenceLeft;
    private int unsent;
    private int unanswered;
    private long quietCycles;

    /// An AFU without a job, which would send interrupt 0.
    public InterruptSender() {
        job.csrs.readWrite(IDS, 1, ALL_IDS);
    }

    @Override
    public void clock(Rx rx, Tx tx) {
        boolean starts = job.clock(rx, tx);
        if (rx.softReset) {
            writer.reset();
            quietCycles = Long.MAX_VALUE;
            return;
        }
        writer.accept(rx);
        if (rx.c1.rspValid && rx.c1.responseType() == C1Response.INTR.code()) {
            unanswered &= ~(1 << rx.c1.interruptId());
        }
        if (starts) {
            writer.start(job.destination(), job.lines());
            linesWritten = 0;
            fenceLeft = true;
            unsent = (int) job.csrs.get(IDS);
            unanswered = unsent;
        }
        if (job.running()) {
            send(rx, tx);
            if (writer.done() && unanswered == 0) {
                job.end();
            }
        }
        quietCycles = job.quietCycles(rx, tx);
    }

    private void send(Rx rx, Tx tx) {
        if (writer.ready(rx)) {
            Arrays.fill(tx.c1.data, linesWritten);
            linesWritten++;
            writer.write(tx);
        } else if (!writer.written() || rx.c1TxAlmFull) {
            return;
        } else if (fenceLeft) {
            tx.c1.fence(VirtualChannel.VA, FENCE_TAG);
            fenceLeft = false;
        } else if (unsent != 0) {
            int id = Integer.numberOfTrailingZeros(unsent);
            tx.c1.interrupt(VirtualChannel.VA, id);
            unsent &= unsent - 1;
        }
    }

    @Override
    public long quietCycles() {
        return quietCycles;
    }
}
