package dev.outboard.dpa.elf;

/// Addresses of a program.
///
/// @param from the first address
/// @param to the address after the last; not below `from`, unsigned
public record AddressRange(long from, long to) {
    static final AddressRange NONE = new AddressRange(0, 0);

    /// Checks the order.
    public AddressRange {
        if (Long.compareUnsigned(from, to) > 0) {
            throw new IllegalArgumentException(
                    "A range ends at or after its begin 0x%x, not at 0x%x".formatted(from, to));
        }
    }

    /// Whether the address lies in it.
    public boolean contains(long address) {
        return Long.compareUnsigned(address - from, to - from) < 0;
    }

    /// How many bytes it has.
    public long sizeBytes() {
        return to - from;
    }

    @Override
    public String toString() {
        return from == to ? "nowhere" : "0x%x to 0x%x".formatted(from, to - 1);
    }
}
