package dev.outboard.doca.spi;

/// Memory of a peer as programs of an [ExecutionEnvironment] name it.
///
/// @param key what they know it by
/// @param address what they call its first byte
public record RemoteMemory(int key, long address) {}
