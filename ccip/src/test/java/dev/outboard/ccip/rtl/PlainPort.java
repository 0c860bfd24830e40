package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// The other side of the port with a bit of memory behind it: answers in any order, and takes eight
/// more beats after almost-full. Enough to try an AFU without the FIU model.
final class PlainPort {
    private final Afu afu;
    private final SplittableRandom random;
    private final long[][] memory;
    private final List<long[]> linesToRead = new ArrayList<>();
    private final List<long[]> writesToAnswer = new ArrayList<>();
    private final Rx rx = new Rx();
    private final Tx tx = new Tx();

    private long cycle;
    private long burstAddress;
    private int burstLinesLeft;
    private int fences;
    private int beatsSinceAlmostFull;
    private boolean wasAlmostFull;
    private boolean writeQueueBusy;
    int mostBeatsAfterAlmostFull;
    final List<String> log = new ArrayList<>();

    PlainPort(Afu afu, int lines, long seed) {
        this.afu = afu;
        random = new SplittableRandom(seed);
        memory = new long[lines][Line.LONGS];
        reset(20);
    }

    void reset(int cycles) {
        rx.softReset = true;
        step(cycles);
        rx.softReset = false;
        linesToRead.clear();
        writesToAnswer.clear();
    }

    long[] line(int address) {
        return memory[address];
    }

    long cycle() {
        return cycle;
    }

    /// Almost-full on C1 from now on, on and off at random, instead of never.
    void pressWrites() {
        writeQueueBusy = true;
    }

    void write(int byteAddress, long value) {
        rx.c0.mmioWrite(byteAddress >> 2, MmioLength.BYTES_8, random.nextInt(512));
        rx.c0.data[0] = value;
        edge();
    }

    long read(int byteAddress) {
        int tid = random.nextInt(512);
        rx.c0.mmioRead(byteAddress >> 2, MmioLength.BYTES_8, tid);
        edge();
        for (int i = 0; i < 100; i++) {
            if (tx.c2.mmioRdValid) {
                assertThat(tx.c2.tid).isEqualTo(tid);
                return tx.c2.data;
            }
            step(1);
        }
        throw new AssertionError("no answer to an MMIO read of " + byteAddress);
    }

    void step(int cycles) {
        for (int i = 0; i < cycles; i++) {
            answer();
            edge();
        }
    }

    private void answer() {
        if (!linesToRead.isEmpty() && random.nextInt(8) != 0) {
            long[] line = linesToRead.remove(random.nextInt(Math.min(32, linesToRead.size())));
            rx.c0.readResponse(VirtualChannel.VH0, false, (int) line[1], (int) line[2]);
            Line.copy(memory[(int) line[0]], rx.c0.data);
        } else {
            rx.c0.hdr = random.nextInt() >>> 4;
            rx.c0.data[0] = random.nextLong();
        }
        if (!writesToAnswer.isEmpty() && random.nextInt(4) != 0) {
            long[] write = writesToAnswer.remove(random.nextInt(writesToAnswer.size()));
            if (write[1] < 0) {
                rx.c1.packedWriteResponse(
                        VirtualChannel.VH0,
                        false,
                        LineCount.ofLines((int) -write[1]),
                        (int) write[0]);
            } else {
                rx.c1.writeResponse(VirtualChannel.VH0, false, (int) write[1], (int) write[0]);
            }
        } else if (writesToAnswer.isEmpty() && fences > 0) {
            fences--;
            rx.c1.fenceResponse(0);
        }
        if (writeQueueBusy && random.nextInt(16) == 0) {
            rx.c1TxAlmFull ^= true;
            rx.c0TxAlmFull = random.nextBoolean();
        }
    }

    private void edge() {
        boolean almostFull = rx.c1TxAlmFull;
        tx.idle();
        afu.clock(rx, tx);
        rx.idle();
        cycle++;
        if (rx.softReset) {
            // What comes before the reset has done its work means nothing.
            return;
        }
        if (tx.c0.valid) {
            take(tx.c0.address(), LineCount.of(tx.c0.lengthCode()).lines(), tx.c0.mdata());
        }
        if (tx.c1.valid) {
            store();
            if (wasAlmostFull) {
                beatsSinceAlmostFull++;
                mostBeatsAfterAlmostFull = Math.max(mostBeatsAfterAlmostFull, beatsSinceAlmostFull);
            }
        }
        if (!almostFull) {
            beatsSinceAlmostFull = 0;
        }
        wasAlmostFull = almostFull;
        if (tx.c0.valid || tx.c1.valid || tx.c2.mmioRdValid) {
            log.add(text());
        }
    }

    private String text() {
        return cycle
                + (tx.c0.valid ? " c0 " + tx.c0.hdrHigh + " " + tx.c0.hdrLow : "")
                + (tx.c1.valid
                        ? " c1 "
                                + tx.c1.hdrHigh
                                + " "
                                + tx.c1.hdrLow
                                + " "
                                + List.of(box(tx.c1.data))
                        : "")
                + (tx.c2.mmioRdValid ? " c2 " + tx.c2.tid + " " + tx.c2.data : "");
    }

    private static Long[] box(long[] data) {
        return Arrays.stream(data).boxed().toArray(Long[]::new);
    }

    private void take(long address, int lines, int mdata) {
        for (int i = 0; i < lines; i++) {
            linesToRead.add(new long[] {address + i, i, mdata});
        }
    }

    private void store() {
        if (tx.c1.requestType() == WriteType.WRFENCE.code()) {
            fences++;
            return;
        }
        if (tx.c1.startOfPacket()) {
            assertThat(burstLinesLeft).as("lines of a burst still to come").isZero();
            burstAddress = tx.c1.address();
            burstLinesLeft = LineCount.of(tx.c1.lengthCode()).lines();
            assertThat(burstAddress % burstLinesLeft).as("alignment").isZero();
            if (random.nextBoolean()) {
                writesToAnswer.add(new long[] {tx.c1.mdata(), -burstLinesLeft});
            } else {
                for (int i = 0; i < burstLinesLeft; i++) {
                    writesToAnswer.add(new long[] {tx.c1.mdata(), i});
                }
            }
        }
        assertThat(tx.c1.address() & 3).isEqualTo(burstAddress & 3);
        Line.copy(tx.c1.data, memory[(int) burstAddress]);
        burstAddress++;
        burstLinesLeft--;
    }
}
