package dev.outboard.dpa.machine;

import java.util.ArrayList;
import java.util.List;

/// A device of 64 bytes of registers that writes down what is asked of it. At offsets from
/// [#COUNTER] on a read gives how many reads there have been.
final class RegisterFile implements MmioDevice {
    static final int BYTES = 64;
    static final int COUNTER = 32;

    /// Reads and writes of it fail.
    static final int BROKEN = 48;

    /// The only place where nothing is.
    static final int HOLE = 56;

    /// What was done to the bytes at an offset.
    record Call(long offset, int lengthBytes, long value) {}

    private final List<Call> writes = new ArrayList<>();
    private final List<Call> reads = new ArrayList<>();

    @Override
    public boolean hasRegister(long offset, int lengthBytes) {
        return offset < HOLE;
    }

    @Override
    public long read(long offset, int lengthBytes) {
        if (offset == BROKEN) {
            throw new IllegalStateException("broken wire");
        }
        long value = offset >= COUNTER ? reads.size() + 1 : -1;
        reads.add(new Call(offset, lengthBytes, value));
        return value;
    }

    @Override
    public void write(long offset, int lengthBytes, long value) {
        if (offset == BROKEN) {
            throw new IllegalStateException("broken wire");
        }
        writes.add(new Call(offset, lengthBytes, value));
    }

    synchronized List<Call> writes() {
        return List.copyOf(writes);
    }

    synchronized List<Call> reads() {
        return List.copyOf(reads);
    }
}
