package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.MemoryAccess;

/// Loads and stores of all sizes, by one of each.
public interface SizedAccess extends MemoryAccess {
    /// Loads a word of 1, 2, 4 or 8 bytes.
    long load(long address, int lengthBytes);

    /// Stores the low bytes of the value.
    void store(long address, int lengthBytes, long value);

    @Override
    default byte load8(long address) {
        return (byte) load(address, Byte.BYTES);
    }

    @Override
    default short load16(long address) {
        return (short) load(address, Short.BYTES);
    }

    @Override
    default int load32(long address) {
        return (int) load(address, Integer.BYTES);
    }

    @Override
    default long load64(long address) {
        return load(address, Long.BYTES);
    }

    @Override
    default void store8(long address, int value) {
        store(address, Byte.BYTES, value);
    }

    @Override
    default void store16(long address, int value) {
        store(address, Short.BYTES, value);
    }

    @Override
    default void store32(long address, int value) {
        store(address, Integer.BYTES, value);
    }

    @Override
    default void store64(long address, long value) {
        store(address, Long.BYTES, value);
    }
}
