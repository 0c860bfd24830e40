package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.BurstReader;
import dev.outboard.ccip.afu.BurstWriter;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.UUID;

/// Adds two vectors of 32-bit integers, 16 of them a cycle, as they stream through.
///
/// [JobRegisters#SOURCE] and [#SECOND_SOURCE] are added to [JobRegisters#DESTINATION].
public final class VectorAdd implements Afu {
    /// Which AFU this is.
    public static final UUID AFU_ID = UUID.fromString("82e93841-5ad0-46ff-8bbd-1bc1cff04b0e");

    /// Line address of the second vector.
    public static final int SECOND_SOURCE = JobRegisters.FIRST_OWN;

    private static final int BUFFER_LINES = 512;

    /// All bits of two integers but their signs.
    private static final long NOT_SIGNS = 0x7FFF_FFFF_7FFF_FFFFL;

    private final JobRegisters job = new JobRegisters(AFU_ID);
    private final BurstReader first = new BurstReader(0, BUFFER_LINES);
    private final BurstReader second = new BurstReader(BUFFER_LINES, BUFFER_LINES);
    private final BurstWriter sums = new BurstWriter(0);
    private final long[] addend = new long[Line.LONGS];
    private boolean secondNext;
    private long quietCycles;

    /// An AFU without a job.
    public VectorAdd() {
        job.csrs.readWrite(SECOND_SOURCE);
    }

    @Override
    public void clock(Rx rx, Tx tx) {
        boolean starts = job.clock(rx, tx);
        if (rx.softReset) {
            first.reset();
            second.reset();
            sums.reset();
            quietCycles = Long.MAX_VALUE;
            return;
        }
        first.accept(rx);
        second.accept(rx);
        sums.accept(rx);
        if (starts) {
            first.start(job.source(), job.lines());
            second.start(job.csrs.get(SECOND_SOURCE), job.lines());
            sums.start(job.destination(), job.lines());
        }
        if (job.running()) {
            request(rx, tx);
            add(rx, tx);
            if (sums.done()) {
                job.end();
            }
        }
        quietCycles = job.quietCycles(rx, tx);
    }

    @Override
    public long quietCycles() {
        return quietCycles;
    }

    /// Both readers share C0: they take turns, and one that has nothing to ask for gives way.
    private void request(Rx rx, Tx tx) {
        BurstReader turn = secondNext ? second : first;
        BurstReader other = secondNext ? first : second;
        if (turn.request(rx, tx)) {
            secondNext = !secondNext;
        } else {
            other.request(rx, tx);
        }
    }

    private void add(Rx rx, Tx tx) {
        if (sums.ready(rx) && first.available() && second.available()) {
            long[] sum = tx.c1.data;
            first.take(sum);
            second.take(addend);
            for (int i = 0; i < Line.LONGS; i++) {
                sum[i] = addPairs(sum[i], addend[i]);
            }
            sums.write(tx);
        }
    }

    /// Adds two integers in each half: no carry goes from the low one to the high one.
    private static long addPairs(long a, long b) {
        return ((a & NOT_SIGNS) + (b & NOT_SIGNS)) ^ ((a ^ b) & ~NOT_SIGNS);
    }
}
