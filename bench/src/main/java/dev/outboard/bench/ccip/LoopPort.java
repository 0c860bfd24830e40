package dev.outboard.bench.ccip;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.rtl.VerilatedAfu;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;

/// A Verilated AFU that copies memory without end, with as little around it as in the C++ loop: a
/// memory that answers every read with the next cycle and takes every write at once. What it takes
/// more is the way between Java and the design.
final class LoopPort implements Ours.Subject {
    private static final int LINES = CopyPort.LINES;
    private static final int RESET_CYCLES = 256;
    private static final int MOST_CYCLES = 8 * LINES;
    private static final int CYCLES_BETWEEN = 8;

    /// Reads that may wait, and responses; a power of two each.
    private static final int QUEUE = 1024;

    private static final int MOST_READS = 400;
    private static final VirtualChannel VH0 = VirtualChannel.VH0;
    private static final int FENCE = WriteType.WRFENCE.code();

    private final VerilatedAfu afu;
    private final long[] memory = new long[2 * LINES * Line.LONGS];
    private final Rx rx = new Rx();
    private final Tx tx = new Tx();

    /// The reads that are not answered; their headers.
    private final C0Tx[] reads = new C0Tx[QUEUE];

    private int firstRead;
    private int endOfReads;
    private int lineOfRead;

    /// The same of the requests on C1.
    private final C1Tx[] writes = new C1Tx[QUEUE];

    private int firstWrite;
    private int endOfWrites;
    private long writtenLine;
    private long cycles;

    LoopPort(VerilatedAfu afu) {
        this.afu = afu;
        Arrays.setAll(reads, i -> new C0Tx());
        Arrays.setAll(writes, i -> new C1Tx());
        rx.softReset = true;
        for (int i = 0; i < RESET_CYCLES; i++) {
            clock();
        }
        rx.softReset = false;
        write(JobRegisters.SOURCE, 0);
        write(JobRegisters.DESTINATION, LINES);
        write(JobRegisters.LINES, LINES);
    }

    @Override
    public double run(long nanos) {
        return CycleRate.measure(nanos, () -> cycles, this::copyAll);
    }

    private void copyAll() {
        // Until the AFU says that it has done what it did before.
        for (int i = 0; i < CYCLES_BETWEEN; i++) {
            rx.idle();
            clock();
        }
        write(JobRegisters.CONTROL, JobRegisters.START);
        for (int i = 0; i < MOST_CYCLES; i++) {
            if (copy()) {
                return;
            }
        }
        throw new IllegalStateException(
                "The AFU copies "
                        + LINES
                        + " lines and is not done after "
                        + MOST_CYCLES
                        + " cycles");
    }

    private void write(int register, long value) {
        rx.idle();
        rx.c0.mmioWrite(register / Integer.BYTES, MmioLength.BYTES_8, 0);
        rx.c0.data[0] = value;
        clock();
    }

    private void clock() {
        tx.idle();
        afu.clock(rx, tx);
        cycles++;
    }

    /// One cycle; whether the fence at the end of a copy was answered in it.
    private boolean copy() {
        rx.idle();
        rx.c0TxAlmFull = endOfReads - firstRead > MOST_READS;
        if (firstRead != endOfReads) {
            answerRead(reads[firstRead & QUEUE - 1]);
        }
        boolean isFence =
                firstWrite != endOfWrites && answerWrite(writes[firstWrite++ & QUEUE - 1]);
        clock();
        if (tx.c0.valid) {
            C0Tx read = reads[endOfReads++ & QUEUE - 1];
            read.hdrLow = tx.c0.hdrLow;
            read.hdrHigh = tx.c0.hdrHigh;
        }
        if (tx.c1.valid) {
            take(tx.c1);
        }
        return isFence;
    }

    private void answerRead(C0Tx read) {
        rx.c0.readResponse(VH0, false, lineOfRead, read.mdata());
        int line = (int) read.address() + lineOfRead;
        System.arraycopy(memory, line * Line.LONGS, rx.c0.data, 0, Line.LONGS);
        if (lineOfRead++ == read.lengthCode()) {
            lineOfRead = 0;
            firstRead++;
        }
    }

    /// Whether it is a fence.
    private boolean answerWrite(C1Tx write) {
        if (write.requestType() == FENCE) {
            rx.c1.fenceResponse(write.mdata());
            return true;
        }
        LineCount count = LineCount.of(write.lengthCode());
        rx.c1.packedWriteResponse(VH0, false, count, write.mdata());
        return false;
    }

    private void take(C1Tx beat) {
        boolean isFence = beat.requestType() == FENCE;
        if (beat.startOfPacket() || isFence) {
            C1Tx write = writes[endOfWrites++ & QUEUE - 1];
            write.hdrLow = beat.hdrLow;
            write.hdrHigh = beat.hdrHigh;
        }
        if (!isFence) {
            writtenLine = beat.startOfPacket() ? beat.address() : writtenLine + 1;
            int at = (int) writtenLine * Line.LONGS;
            System.arraycopy(beat.data, 0, memory, at, Line.LONGS);
        }
    }

    @Override
    public void close() {
        afu.close();
    }
}
