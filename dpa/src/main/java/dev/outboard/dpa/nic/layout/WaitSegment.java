package dev.outboard.dpa.nic.layout;

import dev.outboard.dpa.machine.MemoryAccess;

/// DPA-FXQ-8e: the two segments by which a send entry waits for a word: which word and how it
/// compares, and then with what. The word has 8 bytes at a multiple of 8, in the order of the
/// machine, and so has what it is compared with: this is a card without the capability
/// `wait_on_data_big_endian`.
///
/// ```java
/// SendEntry.writeControl(thread, entry, index, SendEntry.WAIT_ON_DATA, queue, 3, completion);
/// WaitSegment.write(thread, entry + SendEntry.SEGMENT_BYTES, WaitSegment.EQUAL, false, key, word);
/// WaitSegment.writeData(thread, entry + 2 * SendEntry.SEGMENT_BYTES, 1, -1);
/// ```
public final class WaitSegment {
    /// Operation: whatever the word is.
    public static final int ALWAYS = 0;

    /// Operation: the word equals the data.
    public static final int EQUAL = 1;

    /// Operation: the word is bigger than the data, both unsigned.
    public static final int BIGGER = 2;

    /// Operation: the word is smaller than the data, both unsigned.
    public static final int SMALLER = 3;

    /// Operation: the word is ahead of the data by less than half of all numbers that the mask has
    /// room for.
    public static final int CYCLIC_BIGGER = 4;

    /// Operation: the word is behind the data in the same sense.
    public static final int CYCLIC_SMALLER = 5;

    private static final int KEY = 4;
    private static final int ADDRESS = 8;
    private static final int MASK = 8;
    private static final int OPERATION_MASK = 0xF;
    private static final int INVERTED = 1 << 4;
    private static final int ACTION_MASK = 7;

    private WaitSegment() {}

    /// Writes the first of the two segments.
    ///
    /// @param inverted whether the comparison has to fail instead
    /// @param address a multiple of 8
    public static void write(
            MemoryAccess memory,
            long segment,
            int operation,
            boolean inverted,
            int key,
            long address) {
        BigEndian.store32(memory, segment, inverted ? operation | INVERTED : operation);
        BigEndian.store32(memory, segment + KEY, key);
        BigEndian.store64(memory, segment + ADDRESS, address);
    }

    /// Writes the second one.
    ///
    /// @param data what the word is compared with
    /// @param mask which bits of the word count; the others are zeros
    public static void writeData(MemoryAccess memory, long segment, long data, long mask) {
        memory.store64(segment, data);
        BigEndian.store64(memory, segment + MASK, mask);
    }

    /// The operation in a first segment.
    public static int operation(MemoryAccess memory, long segment) {
        return BigEndian.load32(memory, segment) & OPERATION_MASK;
    }

    /// Whether a first segment inverts it.
    public static boolean isInverted(MemoryAccess memory, long segment) {
        return (BigEndian.load32(memory, segment) & INVERTED) != 0;
    }

    /// The key in a first segment.
    public static int key(MemoryAccess memory, long segment) {
        return BigEndian.load32(memory, segment + KEY);
    }

    /// The address in a first segment.
    public static long address(MemoryAccess memory, long segment) {
        return BigEndian.load64(memory, segment + ADDRESS) & ~ACTION_MASK;
    }

    /// What a first segment asks for if the comparison cannot be made: the NIC knows only 0, by
    /// which the entry fails.
    public static int failAction(MemoryAccess memory, long segment) {
        return (int) BigEndian.load64(memory, segment + ADDRESS) & ACTION_MASK;
    }

    /// The data in a second segment.
    public static long data(MemoryAccess memory, long segment) {
        return memory.load64(segment);
    }

    /// The mask in a second segment.
    public static long mask(MemoryAccess memory, long segment) {
        return BigEndian.load64(memory, segment + MASK);
    }
}
