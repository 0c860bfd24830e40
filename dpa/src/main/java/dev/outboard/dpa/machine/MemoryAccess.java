package dev.outboard.dpa.machine;

/// DPA-MEM-4: loads and stores of words, at the addresses of [AddressMap]. An address must be
/// divisible by the size in bytes. Loads give the stored bits; whoever wants a narrower unsigned
/// value masks it.
public interface MemoryAccess {
    /// Loads 1 byte.
    byte load8(long address);

    /// Loads 2 bytes, little-endian.
    short load16(long address);

    /// Loads 4 bytes, little-endian.
    int load32(long address);

    /// Loads 8 bytes, little-endian.
    long load64(long address);

    /// Stores the low byte of the value.
    void store8(long address, int value);

    /// Stores the low 2 bytes of the value, little-endian.
    void store16(long address, int value);

    /// Stores 4 bytes, little-endian.
    void store32(long address, int value);

    /// DPA-FXO-6: stores 8 bytes, little-endian. A store of a DPA thread into the outbox page rings
    /// a doorbell.
    void store64(long address, long value);
}
