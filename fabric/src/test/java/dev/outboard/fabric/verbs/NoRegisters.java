package dev.outboard.fabric.verbs;

import dev.outboard.fabric.MmioHandler;

/// Registers that refuse everything.
public final class NoRegisters implements MmioHandler {
    @Override
    public int readInt(long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long readLong(long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void writeInt(long offset, int value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void writeLong(long offset, long value) {
        throw new UnsupportedOperationException();
    }
}
