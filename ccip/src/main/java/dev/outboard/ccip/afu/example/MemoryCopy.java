package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.BurstReader;
import dev.outboard.ccip.afu.BurstWriter;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;
import java.util.UUID;

/// Copies lines, or only reads or writes them, as fast as the platform can: a line in and a line
/// out per cycle. What an accelerator card is measured with.
///
/// [JobRegisters] say what to copy, [#SETTING] how.
public final class MemoryCopy implements Afu {
    /// Which AFU this is.
    public static final UUID AFU_ID = UUID.fromString("a15b8e07-1000-48b6-ab20-641e9a7389aa");

    /// How to copy: [Setting#code].
    public static final int SETTING = JobRegisters.FIRST_OWN;

    /// More lines than the fastest platform has in flight.
    private static final int BUFFER_LINES = 256;

    private static final int WRITE_TAG = 0;

    /// What a job does.
    public enum Mode {
        /// Reads each line and writes it.
        LOOPBACK,
        /// Reads lines and forgets them.
        READ,
        /// Writes lines of which each long holds how many lines came before.
        WRITE,
        /// Reads and writes at the same time, neither waiting for the other.
        THROUGHPUT
    }

    /// How a job reads and writes.
    ///
    /// @param most the most lines of a request
    public record Setting(
            Mode mode,
            LineCount most,
            ReadType readType,
            VirtualChannel readChannel,
            WriteType writeType,
            VirtualChannel writeChannel) {
        private static final int MOST = 4;
        private static final int READ_TYPE = 8;
        private static final int READ_CHANNEL = 12;
        private static final int WRITE_TYPE = 16;
        private static final int WRITE_CHANNEL = 20;

        /// Copies on VA with requests of four lines and no wish about caches.
        public static final Setting DEFAULT =
                new Setting(
                        Mode.LOOPBACK,
                        LineCount.FOUR,
                        ReadType.RDLINE_I,
                        VirtualChannel.VA,
                        WriteType.WRLINE_I,
                        VirtualChannel.VA);

        /// This setting with another mode.
        public Setting with(Mode other) {
            return new Setting(other, most, readType, readChannel, writeType, writeChannel);
        }

        /// This setting with another most of lines.
        public Setting with(LineCount other) {
            return new Setting(mode, other, readType, readChannel, writeType, writeChannel);
        }

        /// This setting with other wishes about caches.
        public Setting with(ReadType reads, WriteType writes) {
            return new Setting(mode, most, reads, readChannel, writes, writeChannel);
        }

        /// This setting with other channels.
        public Setting with(VirtualChannel reads, VirtualChannel writes) {
            return new Setting(mode, most, readType, reads, writeType, writes);
        }

        /// The value of [#SETTING]: `mode[1:0] cl_len[5:4] read type[8] read channel[13:12] write
        /// type[17:16] write channel[21:20]`.
        public long code() {
            return mode.ordinal()
                    | most.code() << MOST
                    | readType.code() << READ_TYPE
                    | readChannel.code() << READ_CHANNEL
                    | writeType.code() << WRITE_TYPE
                    | writeChannel.code() << WRITE_CHANNEL;
        }

        /// The setting of a register; 2 for the lines or 3 for the write type mean what 1 does.
        static Setting of(long code) {
            int bits = (int) code;
            return new Setting(
                    MODES[bits & 3],
                    LineCount.of((bits >> MOST & 3) == 2 ? 1 : bits >> MOST & 3),
                    ReadType.of(bits >> READ_TYPE & 1),
                    VirtualChannel.of(bits >> READ_CHANNEL & 3),
                    WriteType.of((bits >> WRITE_TYPE & 3) == 3 ? 1 : bits >> WRITE_TYPE & 3),
                    VirtualChannel.of(bits >> WRITE_CHANNEL & 3));
        }
    }

    private static final Mode[] MODES = Mode.values();

    private final JobRegisters job = new JobRegisters(AFU_ID);
    private final BurstReader reader = new BurstReader(0, BUFFER_LINES);
    private final BurstWriter writer = new BurstWriter(WRITE_TAG);
    private final long[] forgotten = new long[Line.LONGS];
    private Mode mode = Mode.LOOPBACK;
    private long linesWritten;
    private long quietCycles;

    /// An AFU without a job.
    public MemoryCopy() {
        job.csrs.readWrite(SETTING, Setting.DEFAULT.code(), -1);
    }

    @Override
    public void clock(Rx rx, Tx tx) {
        boolean starts = job.clock(rx, tx);
        if (rx.softReset) {
            reader.reset();
            writer.reset();
            quietCycles = Long.MAX_VALUE;
            return;
        }
        reader.accept(rx);
        writer.accept(rx);
        if (starts) {
            start();
        }
        if (job.running()) {
            read(rx, tx);
            write(rx, tx);
            if (reader.done() && writer.done()) {
                job.end();
            }
        }
        boolean forgetting = mode != Mode.LOOPBACK && reader.available();
        quietCycles = forgetting ? 0 : job.quietCycles(rx, tx);
    }

    @Override
    public long quietCycles() {
        return quietCycles;
    }

    private void start() {
        Setting setting = Setting.of(job.csrs.get(SETTING));
        mode = setting.mode();
        linesWritten = 0;
        if (mode != Mode.WRITE) {
            reader.use(setting.readType(), setting.readChannel(), setting.most());
            reader.start(job.source(), job.lines());
        }
        if (mode != Mode.READ) {
            writer.use(setting.writeType(), setting.writeChannel(), setting.most());
            writer.start(job.destination(), job.lines());
        }
    }

    private void read(Rx rx, Tx tx) {
        reader.request(rx, tx);
        if (mode != Mode.LOOPBACK && reader.available()) {
            reader.take(forgotten);
        }
    }

    private void write(Rx rx, Tx tx) {
        if (!writer.ready(rx)) {
            return;
        }
        if (mode != Mode.LOOPBACK) {
            Arrays.fill(tx.c1.data, linesWritten);
            linesWritten++;
            writer.write(tx);
        } else if (reader.available()) {
            reader.take(tx.c1.data);
            writer.write(tx);
        }
    }
}
