package dev.outboard.naa;

/// A memory region of the other side, as it advertised it.
///
/// @param address where it starts, in the peer's address space
/// @param remoteKey the key to present
/// @param size its bytes, 0 to 2^32 - 1
public record PeerRegion(long address, int remoteKey, long size) {}
