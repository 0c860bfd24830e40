package dev.outboard.dpa.litmus;

/// A variable. Each lies in a line of 64 bytes; DPA memory and external memory number their lines
/// from 0 each. Two variables of one granule lie in the same aligned 8 bytes.
///
/// @param line the number of its line
/// @param offset of its first byte in the line, divisible by its size
/// @param sizeBytes 1, 2, 4 or 8
/// @param initial its value at the start
public record Variable(
        Place place, String name, Area area, int line, int offset, int sizeBytes, long initial) {
    /// The size of a line.
    public static final int LINE_BYTES = 64;

    /// The size of a granule: what one access can be at most.
    public static final int GRANULE_BYTES = 8;

    /// Whether it lies in DPA memory.
    public boolean inDpaMemory() {
        return area != Area.EXTERNAL;
    }

    /// The distance of its first byte from the start of its memory.
    public int address() {
        return line * LINE_BYTES + offset;
    }
}
