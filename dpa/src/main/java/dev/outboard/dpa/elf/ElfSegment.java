package dev.outboard.dpa.elf;

/// A part of memory that a program is loaded into.
///
/// @param address where it begins
/// @param bytes what it begins with
/// @param zeroBytes how many bytes follow that start as zero
/// @param writable whether the program may write it
/// @param executable whether the program may run it
@SuppressWarnings("ArrayRecordComponent") // Copied into memory, and nothing else.
public record ElfSegment(
        long address, byte[] bytes, long zeroBytes, boolean writable, boolean executable) {

    /// Where it lies.
    public AddressRange range() {
        return new AddressRange(address, address + bytes.length + zeroBytes);
    }
}
