package dev.outboard.dpa.nic.layout;

import dev.outboard.dpa.machine.MemoryAccess;

/// Loads and stores of words whose first byte is the highest.
final class BigEndian {
    private BigEndian() {}

    static int load16(MemoryAccess memory, long address) {
        return Short.reverseBytes(memory.load16(address)) & 0xFFFF;
    }

    static int load32(MemoryAccess memory, long address) {
        return Integer.reverseBytes(memory.load32(address));
    }

    static void store32(MemoryAccess memory, long address, int value) {
        memory.store32(address, Integer.reverseBytes(value));
    }

    static long load64(MemoryAccess memory, long address) {
        return Long.reverseBytes(memory.load64(address));
    }

    static void store64(MemoryAccess memory, long address, long value) {
        memory.store64(address, Long.reverseBytes(value));
    }
}
