package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.BurstReader;
import dev.outboard.ccip.afu.BurstWriter;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.UUID;

/// Copies [#LENGTH] bytes from the beginning of line [JobRegisters#SOURCE] to byte [#OFFSET] of
/// line [JobRegisters#DESTINATION], and leaves every other byte as it is: byte writes for what is
/// no whole line at the beginning and at the end, bursts for all between (CCI-P manual 1.3.10.1).
/// Needs a platform with byte-enable writes.
public final class ByteWriter implements Afu {
    /// Which AFU this is.
    public static final UUID AFU_ID = UUID.fromString("d32e8ebd-dfc9-4d72-838b-0f150adfb5b1");

    /// Byte of the destination line at which the copy begins, 0 to 63.
    public static final int OFFSET = JobRegisters.FIRST_OWN;

    /// Bytes to copy.
    public static final int LENGTH = JobRegisters.FIRST_OWN + Long.BYTES;

    private static final int BUFFER_LINES = 64;
    private static final int BODY_TAG = 0;
    private static final int ENDS_TAG = 1;

    private final JobRegisters job = new JobRegisters(AFU_ID);
    private final BurstReader reader = new BurstReader(0, BUFFER_LINES);
    private final BurstWriter body = new BurstWriter(BODY_TAG);

    /// The source line before and the one that overlaps the destination line from [#offset] on.
    private final long[] window = new long[2 * Line.LONGS];

    private final long[] taken = new long[Line.LONGS];
    private boolean loaded;
    private int offset;
    private long unread;
    private long address;
    private int start;
    private long left;
    private int endsUnanswered;
    private long quietCycles;

    /// An AFU without a job.
    public ByteWriter() {
        job.csrs.readWrite(OFFSET, 0, Line.BYTES - 1).readWrite(LENGTH);
    }

    @Override
    public void clock(Rx rx, Tx tx) {
        boolean starts = job.clock(rx, tx);
        if (rx.softReset) {
            reader.reset();
            body.reset();
            endsUnanswered = 0;
            quietCycles = Long.MAX_VALUE;
            return;
        }
        reader.accept(rx);
        body.accept(rx);
        if (rx.c1.isWriteResponse() && rx.c1.mdata() == ENDS_TAG) {
            endsUnanswered--;
        }
        if (starts) {
            start();
        }
        if (job.running()) {
            reader.request(rx, tx);
            load();
            write(rx, tx);
            if (left == 0 && body.done() && endsUnanswered == 0) {
                job.end();
            }
        }
        quietCycles = job.quietCycles(rx, tx);
    }

    private void start() {
        offset = (int) job.csrs.get(OFFSET);
        address = job.destination();
        start = offset;
        left = job.csrs.get(LENGTH);
        unread = (left + Line.BYTES - 1) / Line.BYTES;
        reader.start(job.source(), unread);
        loaded = false;
        long head = start == 0 ? 0 : Math.min(left, Line.BYTES - start);
        body.start(address + (start == 0 ? 0 : 1), (left - head) / Line.BYTES);
    }

    /// Moves the window on by a line if the one before is written and the next one is here. Behind
    /// the last line of the source nothing more is needed.
    private void load() {
        if (loaded || left == 0 || (unread > 0 && !reader.available())) {
            return;
        }
        System.arraycopy(window, Line.LONGS, window, 0, Line.LONGS);
        if (unread > 0) {
            reader.take(taken);
            System.arraycopy(taken, 0, window, Line.LONGS, Line.LONGS);
            unread--;
        }
        loaded = true;
    }

    private void write(Rx rx, Tx tx) {
        if (!loaded) {
            return;
        }
        if (start == 0 && left >= Line.BYTES) {
            if (!body.ready(rx)) {
                return;
            }
            body.write(tx);
            written(tx, Line.BYTES);
        } else if (!rx.c1TxAlmFull) {
            int length = (int) Math.min(left, Line.BYTES - start);
            tx.c1.writeBytes(
                    WriteType.WRLINE_I, VirtualChannel.VA, address, ENDS_TAG, start, length);
            endsUnanswered++;
            written(tx, length);
        }
    }

    private void written(Tx tx, int length) {
        align(tx.c1.data);
        address++;
        start = 0;
        left -= length;
        loaded = false;
    }

    /// Shifts the window up by the offset: byte 0 of the source comes to byte `offset`.
    private void align(long[] line) {
        int longs = offset / Long.BYTES;
        int bits = offset % Long.BYTES * Byte.SIZE;
        for (int i = 0; i < Line.LONGS; i++) {
            int at = Line.LONGS + i - longs;
            long below = bits == 0 ? 0 : window[at - 1] >>> (Long.SIZE - bits);
            line[i] = window[at] << bits | below;
        }
    }

    @Override
    public long quietCycles() {
        return quietCycles;
    }
}
