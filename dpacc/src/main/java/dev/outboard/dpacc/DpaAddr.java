package dev.outboard.dpacc;

/// DPA-CC-7: an address of the DPA. The host passes it on and never looks behind it.
///
/// @param value the 64 bits
public record DpaAddr(long value) {
    /// The address that many bytes further.
    public DpaAddr plus(long bytes) {
        return new DpaAddr(value + bytes);
    }

    @Override
    public String toString() {
        return "0x%x".formatted(value);
    }
}
