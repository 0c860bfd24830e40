package dev.outboard.naa;

/// The memory of an NAA as its clients address it: addresses from 0 on, 56 bits at most, in banks
/// of equal size. A region lies where the client asks, in one bank.
///
/// Every client has the address space for itself, as a process has its virtual one: what two
/// clients put at the same address are two things. How much memory they really get is another limit
/// of the server.
///
/// @param bytes how far addresses go, 2^56 at most
/// @param banks into how many parts of equal size it is divided
public record NaaMemory(long bytes, int banks) {
    private static final long MAX_BYTES = 1L << 56;

    /// Refuses what 56 bits cannot address, and banks of unequal size.
    public NaaMemory {
        if (bytes < 1 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "NAA memory of %d bytes; valid: 1 to 2^56".formatted(bytes));
        }
        if (banks < 1 || bytes % banks != 0) {
            throw new IllegalArgumentException(
                    "%d banks of an NAA memory of %d bytes; valid: any number of banks of equal size"
                            .formatted(banks, bytes));
        }
    }

    /// All that 56 bits can address, in one bank.
    public static NaaMemory largest() {
        return new NaaMemory(MAX_BYTES, 1);
    }

    /// The size of a bank.
    public long bankBytes() {
        return bytes / banks;
    }

    /// Whether this many bytes from `naaAddress` on lie in one bank.
    public boolean holds(long naaAddress, long size) {
        return naaAddress < bytes && size <= bankBytes() - naaAddress % bankBytes();
    }
}
