package dev.outboard.dpacc;

/// DPA-CC-13: what the processes of a program begin with that is no Java: the memory of its
/// executable.
///
/// @param code code and constants
/// @param data initial values of globals
/// @param zeroBytes how many bytes of globals follow that start as zero
@SuppressWarnings("ArrayRecordComponent") // Nobody changes the bytes of a program.
public record DpaImage(byte[] code, byte[] data, int zeroBytes) {}
