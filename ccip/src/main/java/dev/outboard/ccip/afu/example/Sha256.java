package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.BurstReader;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;
import java.util.UUID;

/// The SHA-256 digest of a message of [#LENGTH] bytes at [JobRegisters#SOURCE], written to the
/// first 32 bytes of line [JobRegisters#DESTINATION]. A block of 64 bytes, which is a line, takes
/// one cycle to load and 64 to compute: one round a cycle.
public final class Sha256 implements Afu {
    /// Which AFU this is.
    public static final UUID AFU_ID = UUID.fromString("97db6883-03d1-4f07-bbaf-4283530706e7");

    /// Bytes of the message.
    public static final int LENGTH = JobRegisters.FIRST_OWN;

    private static final int BUFFER_LINES = 16;

    /// Bytes of the last block that hold the length of the message in bits.
    private static final int LENGTH_BYTES = 8;

    private enum State {
        /// No job.
        IDLE,
        /// Loads the next block as soon as it is here.
        LOADING,
        /// A round of the block per cycle.
        COMPUTING,
        /// Writes the digest as soon as it may.
        WRITING,
        /// Waits until the digest is written.
        WRITTEN
    }

    private final JobRegisters job = new JobRegisters(AFU_ID);
    private final BurstReader reader = new BurstReader(0, BUFFER_LINES);
    private final Sha256Rounds rounds = new Sha256Rounds();
    private final long[] block = new long[Line.LONGS];
    private State state = State.IDLE;
    private long length;
    private long blockStart;
    private long quietCycles;

    /// An AFU without a job.
    public Sha256() {
        job.csrs.readWrite(LENGTH);
    }

    @Override
    public void clock(Rx rx, Tx tx) {
        boolean starts = job.clock(rx, tx);
        if (rx.softReset) {
            reader.reset();
            state = State.IDLE;
            quietCycles = Long.MAX_VALUE;
            return;
        }
        reader.accept(rx);
        if (starts) {
            length = job.csrs.get(LENGTH);
            blockStart = 0;
            reader.start(job.source(), (length + Line.BYTES - 1) / Line.BYTES);
            rounds.begin();
            state = State.LOADING;
        }
        reader.request(rx, tx);
        State before = state;
        state = next(rx, tx);
        boolean busy = state != before || state == State.COMPUTING;
        quietCycles = busy ? 0 : job.quietCycles(rx, tx);
    }

    private State next(Rx rx, Tx tx) {
        return switch (state) {
            case IDLE -> State.IDLE;
            case LOADING -> load() ? State.COMPUTING : State.LOADING;
            case COMPUTING -> {
                if (!rounds.round()) {
                    yield State.COMPUTING;
                }
                blockStart += Line.BYTES;
                yield blockStart < length + 1 + LENGTH_BYTES ? State.LOADING : State.WRITING;
            }
            case WRITING -> write(rx, tx) ? State.WRITTEN : State.WRITING;
            case WRITTEN -> {
                if (!rx.c1.isWriteResponse()) {
                    yield State.WRITTEN;
                }
                job.end();
                yield State.IDLE;
            }
        };
    }

    /// Loads the next block: bytes of the message, then a bit 1, zeros, and the length at the end.
    private boolean load() {
        long bytes = length - blockStart;
        if (bytes > 0) {
            if (!reader.available()) {
                return false;
            }
            reader.take(block);
        } else {
            Arrays.fill(block, 0);
        }
        if (bytes >= 0 && bytes < Line.BYTES) {
            endMessage((int) bytes);
        }
        if (bytes + 1 + LENGTH_BYTES <= Line.BYTES) {
            block[Line.LONGS - 1] = Long.reverseBytes(length * Byte.SIZE);
        }
        rounds.load(block);
        return true;
    }

    /// Sets the bit behind the message and clears what the line holds beyond.
    private void endMessage(int bytes) {
        int last = bytes / Long.BYTES;
        int shift = bytes % Long.BYTES * Byte.SIZE;
        block[last] = (block[last] & ((1L << shift) - 1)) | 0x80L << shift;
        Arrays.fill(block, last + 1, Line.LONGS, 0);
    }

    private boolean write(Rx rx, Tx tx) {
        if (rx.c1TxAlmFull) {
            return false;
        }
        Arrays.fill(tx.c1.data, 0);
        rounds.digest(tx.c1.data);
        tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, job.destination(), 0);
        return true;
    }

    @Override
    public long quietCycles() {
        return quietCycles;
    }
}
