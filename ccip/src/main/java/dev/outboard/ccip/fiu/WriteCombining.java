package dev.outboard.ccip.fiu;

import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.MmioLength;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/// The buffers in which a processor keeps stores to write-combining memory: each a line, in which
/// later stores replace and join earlier ones. A buffer leaves when it is full, when another needs
/// its place, after a while, or when all are drained; a full one as one write of 64 bytes, any
/// other in aligned writes of 8 and 4 bytes, in no order (Intel SDM volume 3, 11.3.1; CCI-P manual
/// 1.3.13.2).
final class WriteCombining {
    private static final int BUFFERS = 10;
    private static final int LONGEST_DELAY = 200;
    private static final int FULL = 0xFFFF;

    private final SplittableRandom random;
    private final boolean shuffles;
    private final Consumer<MmioRequest> link;
    private final List<Buffer> buffers = new ArrayList<>();

    /// @param shuffles whether order is left to chance wherever it may be
    /// @param link where the writes go
    WriteCombining(SplittableRandom random, boolean shuffles, Consumer<MmioRequest> link) {
        this.random = random;
        this.shuffles = shuffles;
        this.link = link;
    }

    /// A store of 4, 8 or 64 bytes, the value in the low lanes of `data`.
    void store(long cycle, int address, MmioLength length, long[] data) {
        Buffer buffer = bufferOf(cycle, address & -Line.BYTES);
        buffer.store(address, length, data);
        if (buffer.present == FULL) {
            buffer.due = cycle;
        }
    }

    /// Sends the buffers whose time has come.
    ///
    /// CCIP-MMIO-27: a buffer leaves when its time has come.
    void clock(long cycle) {
        for (int i = buffers.size() - 1; i >= 0; i--) {
            if (buffers.get(i).due <= cycle) {
                send(buffers.remove(i));
            }
        }
    }

    /// Sends the buffer of the line with this address, if there is one.
    void drain(int address) {
        for (int i = 0; i < buffers.size(); i++) {
            if (buffers.get(i).address == (address & -Line.BYTES)) {
                send(buffers.remove(i));
                return;
            }
        }
    }

    /// Sends all buffers.
    void drain() {
        while (!buffers.isEmpty()) {
            send(buffers.remove(any()));
        }
    }

    /// The cycle in which the next buffer leaves by itself; `Long.MAX_VALUE` if there is none.
    long nextCycle() {
        long next = Long.MAX_VALUE;
        for (int i = 0; i < buffers.size(); i++) {
            next = Math.min(next, buffers.get(i).due);
        }
        return next;
    }

    private Buffer bufferOf(long cycle, int address) {
        for (Buffer buffer : buffers) {
            if (buffer.address == address) {
                return buffer;
            }
        }
        if (buffers.size() == BUFFERS) {
            send(buffers.remove(any()));
        }
        Buffer buffer = new Buffer(address, cycle + 1 + random.nextInt(LONGEST_DELAY));
        buffers.add(buffer);
        return buffer;
    }

    private int any() {
        return shuffles ? random.nextInt(buffers.size()) : 0;
    }

    private void send(Buffer buffer) {
        if (buffer.present == FULL) {
            MmioRequest write = new MmioRequest(false, buffer.address, MmioLength.BYTES_64);
            Line.copy(buffer.data, write.data);
            link.accept(write);
            return;
        }
        int order = shuffles ? random.nextInt(Line.LONGS) : 0;
        for (int i = 0; i < Line.LONGS; i++) {
            sendWord(buffer, i ^ order);
        }
    }

    private void sendWord(Buffer buffer, int word) {
        int address = buffer.address + word * Long.BYTES;
        int halves = buffer.present >> (2 * word) & 3;
        if (halves == 3) {
            send(address, MmioLength.BYTES_8, buffer.data[word]);
        } else if (halves == 1) {
            send(address, MmioLength.BYTES_4, buffer.data[word]);
        } else if (halves == 2) {
            send(address + Integer.BYTES, MmioLength.BYTES_4, buffer.data[word] >>> Integer.SIZE);
        }
    }

    private void send(int address, MmioLength length, long value) {
        MmioRequest write = new MmioRequest(false, address, length);
        write.data[0] = value;
        link.accept(write);
    }

    private static final class Buffer {
        final int address;
        final long[] data = new long[Line.LONGS];

        /// Which of the sixteen 4-byte parts were stored.
        int present;

        long due;

        Buffer(int address, long due) {
            this.address = address;
            this.due = due;
        }

        void store(int address, MmioLength length, long[] from) {
            int word = (address - this.address) / Long.BYTES;
            switch (length) {
                case BYTES_64 -> {
                    Line.copy(from, data);
                    present = FULL;
                }
                case BYTES_8 -> {
                    data[word] = from[0];
                    present |= 3 << (2 * word);
                }
                case BYTES_4 -> {
                    int shift = address % Long.BYTES * Byte.SIZE;
                    long mask = 0xFFFF_FFFFL << shift;
                    data[word] = (data[word] & ~mask) | (from[0] << shift & mask);
                    present |= 1 << ((address - this.address) / Integer.BYTES);
                }
            }
        }
    }
}
