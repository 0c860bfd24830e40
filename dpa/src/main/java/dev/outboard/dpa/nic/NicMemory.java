package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.fabric.table.KeyedTable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Memory as queue pairs reach it: by keys.
final class NicMemory {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /// The low byte of a key is its variant, as in libibverbs.
    private static final int VARIANT_BITS = 8;

    private final AtomicInteger numbers;

    private final KeyedTable<MemoryKey> keys = new KeyedTable<>();

    /// Without keys.
    ///
    /// @param numbers the next one that is free
    NicMemory(AtomicInteger numbers) {
        this.numbers = numbers;
    }

    /// The next number that is free.
    int freeNumber() {
        return numbers.getAndIncrement() << VARIANT_BITS;
    }

    void add(MemoryKey key) {
        keys.add(key.number(), key);
    }

    void remove(MemoryKey key) {
        keys.remove(key.number());
    }

    /// The live key of that number, if it covers those bytes.
    @Nullable MemoryKey key(int number, long address, long lengthBytes) {
        MemoryKey key = keys.find(number);
        return key != null && key.covers(address, lengthBytes) ? key : null;
    }

    /// The key by which the owner of a queue pair gives those bytes to it, to read or to be
    /// written; null if it may not.
    @Nullable MemoryKey local(int number, long address, int lengthBytes, boolean written) {
        MemoryKey key = key(number, address, lengthBytes);
        return key != null && (!written || key.allows(Access.LOCAL_WRITE)) ? key : null;
    }

    boolean isLive(MemoryKey key) {
        return key.equals(keys.find(key.number()));
    }

    /// Reads memory into a part of a payload.
    static void read(Nic nic, long address, int lengthBytes, MemorySegment to, long at) {
        for (int i = 0; i < lengthBytes; ) {
            int length = OutsidePort.wordAt(address + i, lengthBytes - i);
            switch (length) {
                case Long.BYTES -> to.set(LONG, at + i, nic.load64(address + i));
                case Integer.BYTES -> to.set(INT, at + i, nic.load32(address + i));
                case Short.BYTES -> to.set(SHORT, at + i, nic.load16(address + i));
                default -> to.set(ValueLayout.JAVA_BYTE, at + i, nic.load8(address + i));
            }
            i += length;
        }
    }

    /// Writes a part of a payload to memory.
    ///
    /// DPA-MEM-17: in order, from the lowest address on, unless the key says that the region is
    /// relaxed.
    static void write(
            Nic nic, MemoryKey key, long address, int lengthBytes, MemorySegment from, long at) {
        boolean strict = !key.allows(Access.RELAXED_ORDERING);
        for (int i = 0; i < lengthBytes; ) {
            int length = OutsidePort.wordAt(address + i, lengthBytes - i);
            switch (length) {
                case Long.BYTES -> nic.store64(address + i, from.get(LONG, at + i));
                case Integer.BYTES -> nic.store32(address + i, from.get(INT, at + i));
                case Short.BYTES -> nic.store16(address + i, from.get(SHORT, at + i));
                default -> nic.store8(address + i, from.get(ValueLayout.JAVA_BYTE, at + i));
            }
            i += length;
            if (strict) {
                nic.order();
            }
        }
    }
}
