package dev.outboard.fabric;

import java.lang.foreign.MemorySegment;

/// Memory of the caller, or registers in its place, that the device may use. Peers reach it with
/// [#address] and [#remoteKey]; both are meaningless after [#close], which invalidates the keys but
/// never frees the memory.
public interface MemoryRegion extends AutoCloseable {
    /// The registered memory; empty if the application cannot reach it, such as registers.
    MemorySegment segment();

    /// The address by which peers name the first byte.
    long address();

    /// Length in bytes.
    long length();

    /// The key that local work requests use; work requests take the region itself, so this is for
    /// display.
    int localKey();

    /// The key that a peer must present; never 0 and hard to guess.
    int remoteKey();

    /// Invalidates the keys and releases the region. Closing twice is harmless. Operations of peers
    /// that are under way end with a remote access error.
    ///
    /// @throws FabricException with IN_USE while memory windows are bound to it
    @Override
    void close();
}
